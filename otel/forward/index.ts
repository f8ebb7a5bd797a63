export { createForwarder, type ForwarderOptions } from "./forwarder.ts"
