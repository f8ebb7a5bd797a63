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
/** Spans that the copies of all kept runs hold together: some 200 MB. */
export const KEPT_SPAN_LIMIT = 2_000_000

/** What is kept of a run beyond the age and size of all else. */
export interface RunCopy {
  readonly run: string
  readonly traces: number
  readonly spans: number
  /** Traces of the run that began before this are in it. */
  readonly copiedTo: Nanoseconds
  /** There was no room for what comes next. */
  readonly isFull: boolean
}
