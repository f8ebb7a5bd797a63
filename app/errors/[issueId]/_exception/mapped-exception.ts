import type { ExceptionRecord, MappedFrame } from "#otel/inspector/queries/records.ts"

/** An exception whose frames are resolved through source maps. */
export type MappedException = Omit<ExceptionRecord, "frames"> & { readonly frames: readonly MappedFrame[] }
