import type { Nanoseconds } from "./time.ts"

/** Traces that somebody gave a name: a start of an app, a branch, a test, or a stretch of time. */
export interface Run {
  readonly name: string
  /** Which traces, in the language of filters; empty for all that began in its time. */
  readonly filter: string
  readonly since: Nanoseconds
  /** `undefined` while it goes on. */
  readonly until: Nanoseconds | undefined
}

/** What a run may be called: one word in a filter, and a line on a screen. */
export const RUN_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:/@+-]{0,99}$/u
/** Runs that are kept; each is a row, and a choice in a list. */
export const RUN_LIMIT = 500
