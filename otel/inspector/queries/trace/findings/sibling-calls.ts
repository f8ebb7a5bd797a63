import { SPAN_KINDS, type SpanRecord } from "../../../../protocol/records/span.ts"
import type { Links } from "../span-links.ts"
import type { TraceOutline } from "../trace-outline.ts"
import { shapeOf, targetOf, turnsPages } from "./call-target.ts"

/**
 * Calls of one name under one parent, and what they are: a loop that calls once for each thing (N + 1), or attempts of one
 * call. Indexes refer to the spans of the outline, which are in order of start time.
 */

/** Siblings of one name, service and kind, by start time. */
export interface SiblingGroup {
  readonly spans: readonly number[]
  /** Time that they cover; what overlaps counts once. Nanoseconds. */
  readonly covered: number
}

/**
 * This many calls in sequence are most likely a loop, such as N + 1 queries. Sentry's detector of N + 1 queries has the same
 * threshold.
 *
 * @see https://docs.sentry.io/product/issues/issue-details/performance-issues/n-one-queries/
 */
export const REPEATED = 5
/** A longer pause between two calls is a poll or a schedule: a loop calls again at once. One second. */
const PAUSE_NANOS = 1e9
/**
 * OpenTelemetry's SDK for JavaScript starts spans at whole milliseconds: of two short calls in sequence, the second can seem to
 * start before the first has ended. One millisecond.
 */
const CLOCK_NANOS = 1e6
/** Groups that are examined, those that cover most time first. */
const GROUP_LIMIT = 8
/** Spans of a group whose attributes are read. */
const SAMPLE_LIMIT = 12

/** The groups that may be a loop or hold attempts of one call, longest first. */
export function siblingGroups(outline: TraceOutline, links: Links): SiblingGroup[] {
  const groups: SiblingGroup[] = []
  const byCall = new Map<number, number[]>()
  const hasRepeats = repeatsFinder(outline)
  for (const siblings of siblingLists(outline, links)) {
    if (!hasRepeats(siblings)) continue
    for (const span of siblings) {
      const call = callOf(outline, span)
      const known = byCall.get(call)
      if (known === undefined) byCall.set(call, [span])
      else known.push(span)
    }
    for (const spans of byCall.values())
      if (spans.length >= REPEATED || (spans.length > 1 && spans.some((span) => outline.errors[span] === 1)))
        groups.push({ spans, covered: coveredTime(outline, spans) })
    byCall.clear()
  }
  return groups.sort((a, b) => b.covered - a.covered).slice(0, GROUP_LIMIT)
}

/** Finds out whether siblings have two calls of one name. Most have none, and grouping them would take ten times as long. */
function repeatsFinder(outline: TraceOutline): (siblings: readonly number[]) => boolean {
  /** The number of the list in which a call was seen last. */
  const lists = new Map<number, number>()
  let list = 0
  return (siblings) => {
    list++
    return siblings.some((span) => {
      const call = callOf(outline, span)
      const isRepeat = lists.get(call) === list
      lists.set(call, list)
      return isRepeat
    })
  }
}

/** Name, service and kind in one number. */
function callOf({ names, services, kinds }: TraceOutline, span: number): number {
  const service = (names.indexes[span] ?? 0) * services.values.length + (services.indexes[span] ?? 0)
  return service * SPAN_KINDS.length + (kinds[span] ?? 0)
}

/** The children of each parent, those of a missing parent included, if they are several. By start time. */
function* siblingLists({ parentIds }: TraceOutline, links: Links): Generator<readonly number[]> {
  const { order, position, childCount, descendantCount } = links
  for (let parent = 0; parent < childCount.length; parent++) {
    if ((childCount[parent] ?? 0) < 2) continue
    const end = (position[parent] ?? 0) + (descendantCount[parent] ?? 0)
    const children: number[] = []
    for (let place = (position[parent] ?? 0) + 1; place <= end;) {
      const child = order[place] ?? 0
      children.push(child)
      place += (descendantCount[child] ?? 0) + 1
    }
    yield children
  }
  yield* groupsBy([...links.missing], (span) => parentIds.text(span)).filter((spans) => spans.length > 1)
}

/** Spans with one key each, in the order given. */
export function groupsBy(spans: readonly number[], keyOf: (span: number) => string): number[][] {
  const groups = new Map<string, number[]>()
  for (const span of spans) {
    const key = keyOf(span)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [span])
    else group.push(span)
  }
  return [...groups.values()]
}

/** Time that the spans cover together. They are in order of start time. */
export function coveredTime({ offsets, durations }: TraceOutline, spans: readonly number[]): number {
  let covered = 0
  let upTo = -Infinity
  for (const span of spans) {
    const from = Math.max(upTo, offsets[span] ?? 0)
    const to = (offsets[span] ?? 0) + (durations[span] ?? 0)
    covered += Math.max(0, to - from)
    upTo = Math.max(upTo, to)
  }
  return covered
}

/** Failed spans whose messages are read, in addition to the samples. */
const FAILED_LIMIT = 20

/** Ids of the spans whose attributes findings need. */
export function sampledSpans(outline: TraceOutline, groups: readonly SiblingGroup[]): string[] {
  const sampled = groups.flatMap((group) => sampleOf(outline, group))
  const failed: number[] = []
  for (let span = 0; span < outline.errors.length && failed.length < FAILED_LIMIT; span++)
    if (outline.errors[span] === 1) failed.push(span)
  return [...new Set([...sampled, ...failed])].map((span) => outline.ids.text(span))
}

/** Spans of a group that stand for it: its attempts, and others evenly spread. */
function sampleOf(outline: TraceOutline, { spans }: SiblingGroup): number[] {
  const attempts = failedRuns(outline, spans)
    .flat()
    .slice(0, SAMPLE_LIMIT / 2)
  const room = SAMPLE_LIMIT - attempts.length
  const step = Math.max(1, spans.length / room)
  const spread = Array.from(
    { length: Math.min(room, spans.length) },
    (_, index) => spans[Math.floor(index * step)] ?? 0,
  )
  return [...new Set([...attempts, ...spread])]
}

/** What a group is. Neither, where its calls ran side by side, went to different targets or turned the pages of a list. */
export interface GroupMeaning {
  /** Attempts of one call: each but the last failed. */
  readonly attempts: readonly (readonly number[])[]
  readonly isLoop: boolean
}

/** @param records of the group's sample, by span id. Without records the names alone decide. */
export function meaningOf(
  outline: TraceOutline,
  { spans }: SiblingGroup,
  records: ReadonlyMap<string, SpanRecord>,
): GroupMeaning {
  const recordOf = (span: number) => records.get(outline.ids.text(span))
  const sample = spans.flatMap((span) => recordOf(span) ?? [])
  const attempts = failedRuns(outline, spans).filter((run) => isOneCall(run, spans, recordOf))
  const repeats = spans.length - attempts.reduce((sum, run) => sum + run.length, 0)
  const shapes = new Set(sample.map(shapeOf)).size
  const isLoop =
    repeats >= REPEATED &&
    longestSequence(outline, spans) >= REPEATED &&
    // On average five calls of each shape: below that, different calls share a name.
    (sample.length < REPEATED || shapes * REPEATED <= sample.length) &&
    !(sample.length > 0 && turnsPages(sample))
  return { attempts, isLoop }
}

/** Runs of sequential calls in which each call but the last failed. */
function failedRuns({ offsets, durations, errors }: TraceOutline, spans: readonly number[]): number[][] {
  const runs: number[][] = []
  let run: number[] = []
  for (const span of spans) {
    const before = run.at(-1)
    const follows =
      before !== undefined &&
      errors[before] === 1 &&
      (offsets[span] ?? 0) >= (offsets[before] ?? 0) + (durations[before] ?? 0) - CLOCK_NANOS
    if (follows) run.push(span)
    else {
      run = [span]
      runs.push(run)
    }
  }
  return runs.filter((each) => each.length > 1)
}

/**
 * Whether a run is attempts of one call: its spans say so, or they have one target, which no other call of the group has. A
 * loop whose third call failed went on to the next thing.
 */
function isOneCall(
  run: readonly number[],
  group: readonly number[],
  recordOf: (span: number) => SpanRecord | undefined,
): boolean {
  const attempts = run.flatMap((span) => recordOf(span) ?? [])
  if (attempts.some(({ attributes }) => Number(attributes.get("http.request.resend_count")) > 0)) return true
  const targets = new Set(attempts.map(targetOf))
  if (targets.size > 1) return false
  const others = group.filter((span) => !run.includes(span)).flatMap((span) => recordOf(span) ?? [])
  return run.length === group.length || (others.length > 0 && others.every((record) => !targets.has(targetOf(record))))
}

/** The most calls of which each began after the one before had ended, without a long pause. */
function longestSequence({ offsets, durations }: TraceOutline, spans: readonly number[]): number {
  const start = (span: number) => offsets[span] ?? 0
  const end = (span: number) => start(span) + (durations[span] ?? 0)
  let longest = 0
  let count = 0
  let upTo = -Infinity
  for (const span of spans.toSorted((a, b) => end(a) - end(b) || a - b)) {
    if (start(span) < upTo - CLOCK_NANOS) continue
    count = start(span) - upTo >= PAUSE_NANOS ? 1 : count + 1
    longest = Math.max(longest, count)
    upTo = end(span)
  }
  return longest
}
