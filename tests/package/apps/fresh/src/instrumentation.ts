export { register, onRequestError } from "pagespan/server"
