/** The records that queries return, for screens: their types, their ids and the few functions that read them. */
export { attributesToJson } from "../../protocol/otlp/traces-json.ts"
export type { DropReason, DropStage } from "../../protocol/records/drop.ts"
export type { ItemCut } from "../../protocol/records/envelope-item.ts"
export { ERROR_LEVELS, type ErrorEvent, errorTitle } from "../../protocol/records/error.ts"
export { parseSpanId, parseTraceId, type TraceId } from "../../protocol/records/ids.ts"
export { nanoseconds } from "../../protocol/records/time.ts"
export type { MappedFrame } from "../source-maps/frame-mapper.ts"
export type { MappedException } from "./errors/mapped-issue.ts"
