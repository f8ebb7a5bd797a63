export { POST } from "pagespan/tunnel"
