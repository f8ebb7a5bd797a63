import type { ExceptionRecord } from "#otel/model/error-event.ts"
import type { MappedFrame } from "#otel/inspector/source-maps/frame-mapper.ts"

/** An exception whose frames say where they came from, where a source map knows. */
export type MappedException = Omit<ExceptionRecord, "frames"> & { readonly frames: readonly MappedFrame[] }
