export { type DecodedEnvelope, decodeEnvelope, decodeStoreEvent, type EnvelopeTimes } from "./decode-envelope.ts"
export { isObject, type JsonObject, listOf, parseJson, parseObject } from "./parse-json.ts"
export { clientReportLosses } from "./read-client-report.ts"
export { type BrokenEnvelope, type Envelope, type EnvelopeItem, splitEnvelope } from "./split-envelope.ts"
