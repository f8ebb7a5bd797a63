import type { MappedFrame } from "#otel/inspector/source-maps/frame-mapper.ts"
import type { ExceptionRecord } from "#otel/protocol/records/error.ts"

/** An exception whose frames are resolved through source maps. */
export type MappedException = Omit<ExceptionRecord, "frames"> & { readonly frames: readonly MappedFrame[] }
