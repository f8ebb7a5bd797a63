import type { Nanoseconds } from "../model/time.ts"

/** One start of an app, as its resource tells it. Empty text where the resource does not say. */
export interface AppStart {
  readonly service: string
  /** `service.instance.id`: another one at each start. */
  readonly instance: string
  /** `pagespan.run`: a name that was given from outside, such as a branch or a test. */
  readonly run: string
  readonly version: string
  readonly first: Nanoseconds
  readonly last: Nanoseconds
  readonly traces: number
}
