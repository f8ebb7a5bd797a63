import type { ListPlace } from "#app/traces/list-address.ts"
import type { ListRule } from "#app/traces/list-state.ts"
import { momentOrAge } from "#otel/inspector/queries/list/time-range.ts"

/** What the place in the list means for traces that arrive. */
export function listRule({ since, until, sort }: ListPlace, nowMs: number): ListRule {
  return {
    isNewestFirst: sort === undefined,
    since: since === undefined ? undefined : momentOrAge(since, nowMs),
    until: until === undefined ? undefined : momentOrAge(until, nowMs),
  }
}
