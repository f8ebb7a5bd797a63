export { onRequestError, register } from "pagespan/server"
