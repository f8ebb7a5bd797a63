import type { MappedFrame } from "#otel/inspector/source-maps/frame-mapper.ts"
import type { ExceptionRecord } from "#otel/protocol/records/error.ts"

/** An exception whose frames say where they came from, where a source map knows. */
export type MappedException = Omit<ExceptionRecord, "frames"> & { readonly frames: readonly MappedFrame[] }
