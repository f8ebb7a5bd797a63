import type { AttributeRow, SpanDetail } from "./span-detail.ts"

/** One property of a span as two protocols reported it. `undefined` where a protocol did not report it. */
export interface ProtocolPair {
  readonly what: string
  readonly otlp: string | undefined
  readonly sentry: string | undefined
  readonly isSame: boolean
}

/**
 * One span as OTLP and as Sentry reported it: its fields, then every attribute of the span, its resource and its scope,
 * those that differ first. Times that differ by less than a microsecond agree: Sentry sends doubles, which are no more precise.
 */
export function protocolDiff(otlp: SpanDetail, sentry: SpanDetail): ProtocolPair[] {
  const [ours, theirs] = [attributeTexts(otlp), attributeTexts(sentry)]
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])].sort()
  const pairs = keys.map((key) => pair(key, ours.get(key), theirs.get(key)))
  return [...facts(otlp, sentry), ...pairs.filter(({ isSame }) => !isSame), ...pairs.filter(({ isSame }) => isSame)]
}

const SENTRY_PRECISION_NANOS = 1_000n

function attributeTexts({ attributes, resource, scope }: SpanDetail): ReadonlyMap<string, string> {
  return new Map([...named("", attributes), ...named("resource: ", resource), ...named("scope: ", scope.attributes)])
}

function named(of: string, rows: readonly AttributeRow[]): (readonly [string, string])[] {
  return rows.map(({ key, text, cutFrom }) => [
    of + key,
    cutFrom === undefined ? text : `${text}… (${text.length} of ${cutFrom} characters)`,
  ])
}

function facts(otlp: SpanDetail, sentry: SpanDetail): ProtocolPair[] {
  const field = (what: string, read: (span: SpanDetail) => string) => pair(what, read(otlp), read(sentry))
  return [
    field("name", ({ name }) => name),
    field("service", ({ service }) => service),
    field("kind", ({ kind }) => kind),
    field("status", ({ status }) => (status.message === "" ? status.code : `${status.code}: ${status.message}`)),
    field("parent", ({ parentSpanId }) => parentSpanId ?? "none"),
    time("start", otlp.startTimeUnixNano, sentry.startTimeUnixNano),
    time("duration", otlp.durationNano, sentry.durationNano),
    field("scope", ({ scope: { name, version } }) => `${name} ${version}`.trim()),
    field("trace state", ({ traceState }) => traceState),
    field("events", ({ eventCount }) => String(eventCount)),
    field("links", ({ linkCount }) => String(linkCount)),
    field("dropped by the sender", droppedCounts),
  ]
}

function droppedCounts({ dropped: { attributes, events, links } }: SpanDetail): string {
  return `${attributes} attributes, ${events} events, ${links} links`
}

function time(what: string, otlp: string, sentry: string): ProtocolPair {
  const difference = BigInt(otlp) - BigInt(sentry)
  const isSame = (difference < 0n ? -difference : difference) < SENTRY_PRECISION_NANOS
  return { what, otlp: `${otlp} ns`, sentry: `${sentry} ns`, isSame }
}

function pair(what: string, otlp: string | undefined, sentry: string | undefined): ProtocolPair {
  return { what, otlp, sentry, isSame: otlp === sentry }
}
