export { OPTIONS, POST } from "pagespan/tunnel"
