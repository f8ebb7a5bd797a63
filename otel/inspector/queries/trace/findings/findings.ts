import type { SpanRecord } from "../../../../protocol/records/span.ts"
import { indexesWhere, textAt } from "../columns/typed-arrays.ts"
import { skewedSpans } from "../clock-skew.ts"
import { selfTimes } from "../self-time.ts"
import type { Links } from "../span-links.ts"
import type { TraceOutline } from "../trace-outline.ts"
import { coveredTime, groupsBy, meaningOf, type SiblingGroup } from "./sibling-calls.ts"

/** What stands out in a trace, by its spans alone: the first things that an experienced reader would look for. */

export const FINDING_KINDS = [
  "repeated_siblings",
  "retried_call",
  "failed_call",
  "largest_self_time",
  "missing_parent",
  "clock_skew",
  "late_vitals",
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

/** A finding as plain JSON. */
export interface Finding {
  readonly kind: FindingKind
  /** One line, such as `200 × SELECT shop.prices`. */
  readonly title: string
  /** Spans by start time, at most `SPAN_ID_LIMIT`. */
  readonly spanIds: readonly string[]
  /** Of all its spans, including those without an id here. */
  readonly count: number
  /** What the title's spans took: see the reference of the read API for each kind. */
  readonly durationNano: string
  /** The parent that its spans share, which may be missing. `null` when they have none or several. */
  readonly parentSpanId: string | null
  /** Name of that parent; `null` when it is missing. */
  readonly parentName: string | null
  /** Name and service of its first span. */
  readonly name: string
  readonly service: string
  /** Status message of its first span; empty when that is not known. */
  readonly message: string
}

/** Ids of a finding. More are counted. */
export const SPAN_ID_LIMIT = 1_000
/** Findings of one kind, those that took longest. */
const KIND_LIMIT = 5

export interface FindingSources {
  /** Without web vitals. */
  readonly outline: TraceOutline
  readonly links: Links
  /** See `siblingGroups`. */
  readonly groups: readonly SiblingGroup[]
  /** Web vitals, which are not in the outline. */
  readonly vitals: readonly { readonly id: string; readonly name: string; readonly end: number }[]
  /** Page loads. They start before their parent, and their self time is the visitor's. */
  readonly pageloads: ReadonlySet<string>
  /** Spans with their attributes, by id. Calls without a record are judged by their names. */
  readonly records: ReadonlyMap<string, SpanRecord>
}

/** The findings of a trace, the kinds in the order of `FINDING_KINDS`, of each kind the longest first. */
export function findingsOf(sources: FindingSources): Finding[] {
  const { outline, groups } = sources
  const meanings = groups.map((group) => ({
    group,
    ...meaningOf(outline, group, sources.records),
  }))
  const attempts = meanings.flatMap((meaning) => meaning.attempts)
  const sketches = [
    meanings.filter(({ isLoop }) => isLoop).map(({ group, attempts }) => repeated(sources, group, attempts)),
    attempts.map((run) => retried(sources, run)),
    failed(sources, new Set(attempts.flat())),
    largestSelfTime(sources),
    missingParents(sources),
    skew(sources),
  ]
  const longest = sketches.flatMap((ofKind) =>
    ofKind.sort((a, b) => b.nanos - a.nanos || b.spans.length - a.spans.length).slice(0, KIND_LIMIT),
  )
  return [...longest.map((sketch) => finding(sources, sketch)), ...lateVitals(sources)]
}

interface Sketch {
  readonly kind: FindingKind
  /** @param name of the first span. */
  readonly title: (name: string) => string
  readonly spans: readonly number[]
  readonly nanos: number
}

function finding({ outline, records }: FindingSources, { kind, title, spans, nanos }: Sketch): Finding {
  const [first = 0] = spans
  const name = textAt(outline.names, first)
  const parents = new Set(spans.map((span) => outline.parentIds.text(span)))
  const [parent = ""] = parents
  const above = parents.size === 1 && parent !== "" ? outline.ids.indexOf(parent) : -1
  return {
    kind,
    title: title(name),
    spanIds: spans.slice(0, SPAN_ID_LIMIT).map((span) => outline.ids.text(span)),
    count: spans.length,
    durationNano: String(Math.round(nanos)),
    parentSpanId: parents.size === 1 && parent !== "" ? parent : null,
    parentName: above === -1 ? null : textAt(outline.names, above),
    name,
    service: textAt(outline.services, first),
    message: records.get(outline.ids.text(first))?.status.message ?? "",
  }
}

function repeated(sources: FindingSources, { spans }: SiblingGroup, attempts: readonly (readonly number[])[]): Sketch {
  const retries = new Set(attempts.flat())
  const calls = spans.filter((span) => !retries.has(span))
  const title = (name: string) => `${calls.length} × ${name}`
  return { kind: "repeated_siblings", title, spans: calls, nanos: coveredTime(sources.outline, calls) }
}

/** The time from the first attempt to the end of the last, with the waits between them. */
function retried(sources: FindingSources, run: readonly number[]): Sketch {
  const { offsets, durations, errors } = sources.outline
  const failures = run.filter((span) => errors[span] === 1).length
  const [first = 0] = run
  const last = run.at(-1) ?? first
  return {
    kind: "retried_call",
    title: (name) => `${failures} failed ${failures === 1 ? "attempt" : "attempts"} of ${name}`,
    spans: run,
    nanos: (offsets[last] ?? 0) + (durations[last] ?? 0) - (offsets[first] ?? 0),
  }
}

/** Failed spans without a failed child: where the failure began. Those of one name and service are one finding. */
function failed(sources: FindingSources, retries: ReadonlySet<number>): Sketch[] {
  const { errors, names, services } = sources.outline
  const failing = Array.from(indexesWhere(errors.length, (span) => errors[span] === 1))
  const callers = new Set(failing.map((span) => sources.links.parent[span] ?? -1))
  const began = failing.filter((span) => !callers.has(span) && !retries.has(span))
  return groupsBy(began, (span) => `${services.indexes[span]} ${names.indexes[span]}`).map((spans) => ({
    kind: "failed_call",
    title: (name) => `${spans.length === 1 ? "" : `${spans.length} × `}${name} failed`,
    spans,
    nanos: coveredTime(sources.outline, spans),
  }))
}

/** The span that took most time itself. Of a single span there is nothing to compare. */
function largestSelfTime(sources: FindingSources): Sketch[] {
  const { outline, links, pageloads } = sources
  if (outline.ids.length < 2) return []
  const self = selfTimes({ parent: links.parent, offset: outline.offsets, duration: outline.durations })
  let largest = -1
  self.forEach((nanos, span) => {
    if (nanos > (self[largest] ?? 0) && !pageloads.has(outline.ids.text(span))) largest = span
  })
  if (largest === -1) return []
  return [
    {
      kind: "largest_self_time",
      title: (name) => `Largest self time: ${name}`,
      spans: [largest],
      nanos: self[largest] ?? 0,
    },
  ]
}

/** One finding for each missing parent: its children, and the time that they cover. */
function missingParents(sources: FindingSources): Sketch[] {
  const { outline, links } = sources
  const orphans = [...links.missing].sort((a, b) => a - b)
  return groupsBy(orphans, (span) => outline.parentIds.text(span)).map((spans) => ({
    kind: "missing_parent",
    title: (name) => `Missing parent of ${spans.length === 1 ? name : `${spans.length} spans`}`,
    spans,
    nanos: coveredTime(outline, spans),
  }))
}

/** Spans that start before their parent, by service: how far at most. */
function skew(sources: FindingSources): Sketch[] {
  const { outline, links } = sources
  const skewed = [...skewedSpans(outline, links, sources.pageloads)].sort((a, b) => a - b)
  const early = (span: number) => (outline.offsets[links.parent[span] ?? -1] ?? 0) - (outline.offsets[span] ?? 0)
  return groupsBy(skewed, (span) => textAt(outline.services, span)).map((spans) => ({
    kind: "clock_skew",
    title: (name) => `Clock skew: ${spans.length === 1 ? name : `${spans.length} spans`} before the parent`,
    spans,
    nanos: spans.reduce((most, span) => Math.max(most, early(span)), 0),
  }))
}

/** Web vitals that settled after the last span had ended: how much later at most. They do not count as time of the trace. */
function lateVitals({ outline, vitals }: FindingSources): Finding[] {
  const { offsets, durations } = outline
  const end = offsets.reduce((latest, offset, span) => Math.max(latest, offset + (durations[span] ?? 0)), 0)
  const late = vitals.filter((vital) => vital.end > end)
  const [first] = late
  if (first === undefined || outline.ids.length === 0) return []
  const names = [...new Set(late.map(({ name }) => name.slice(name.lastIndexOf(".") + 1).toUpperCase()))]
  return [
    {
      kind: "late_vitals",
      title: `${names.join(", ")} after the last span`,
      spanIds: late.slice(0, SPAN_ID_LIMIT).map(({ id }) => id),
      count: late.length,
      durationNano: String(Math.round(late.reduce((most, vital) => Math.max(most, vital.end - end), 0))),
      parentSpanId: null,
      parentName: null,
      name: first.name,
      service: "",
      message: "",
    },
  ]
}
