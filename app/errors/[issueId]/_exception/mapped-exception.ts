import type { ExceptionRecord, MappedFrame } from "#otel/inspector/queries/records.ts"

/** An exception whose frames say where they came from, where a source map knows. */
export type MappedException = Omit<ExceptionRecord, "frames"> & { readonly frames: readonly MappedFrame[] }
