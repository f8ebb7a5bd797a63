import type { AttributeRow, SpanDetail } from "./span-detail.ts"

/** One thing that two protocols told of the same span, side by side. `undefined` where one of them did not tell it. */
export interface ProtocolPair {
  readonly what: string
  readonly otlp: string | undefined
  readonly sentry: string | undefined
  readonly isSame: boolean
}

/**
 * What OTLP and Sentry told of one span: the facts first, then every attribute that either has, of the span, its resource
 * and its scope, those that differ before those that agree. Times that differ by less than a microsecond agree: Sentry's are doubles, which hold no more.
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
  const told = (what: string, read: (span: SpanDetail) => string) => pair(what, read(otlp), read(sentry))
  return [
    told("name", ({ name }) => name),
    told("service", ({ service }) => service),
    told("kind", ({ kind }) => kind),
    told("status", ({ status }) => (status.message === "" ? status.code : `${status.code}: ${status.message}`)),
    told("parent", ({ parentSpanId }) => parentSpanId ?? "none"),
    time("start", otlp.startTimeUnixNano, sentry.startTimeUnixNano),
    time("duration", otlp.durationNano, sentry.durationNano),
    told("scope", ({ scope: { name, version } }) => `${name} ${version}`.trim()),
    told("trace state", ({ traceState }) => traceState),
    told("events", ({ eventCount }) => String(eventCount)),
    told("links", ({ linkCount }) => String(linkCount)),
    told("left out by the sender", leftOut),
  ]
}

function leftOut({ dropped: { attributes, events, links } }: SpanDetail): string {
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
