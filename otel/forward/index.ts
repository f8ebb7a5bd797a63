export { createForwarder, type ForwardBatch, type ForwarderOptions } from "./forwarder.ts"
