import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import { SPAN_KINDS, type SpanRecord } from "#otel/protocol/records/span.ts"
import type { Nanoseconds } from "#otel/protocol/records/time.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { error } from "../events.ts"
import { plus, service, span, spanId } from "../spans.ts"

/** Traces as apps and tests send them, with every case that a figure depends on, and the errors that were reported in them. */

export const TRACES = 40
export const SERVICES = ["page", "web", "api", "db"] as const
const ROUTES = ["/", "/cart", "/items/[id]"]
const MS = 1_000_000n
/** Between the starts of traces, in milliseconds: some are before a window, some in it and some behind it. */
const GAP_MS = 20_000

/** By how much a span that Sentry's protocol sends is later, in nanoseconds: its times are fractions of seconds. */
export const COPY_LATER = 1_000n

export interface Generated {
  /** Each span once. */
  readonly spans: readonly SpanRecord[]
  /** Ids of traces whose spans both protocols send. */
  readonly both: ReadonlySet<string>
  readonly errors: readonly ErrorEvent[]
}

export function generate(random: Random, first: Nanoseconds): Generated {
  const traces = Array.from({ length: TRACES }, (_, index) =>
    generatedTrace(random, index + 1, plus(first, BigInt(index * GAP_MS + random.below(GAP_MS)) * MS)),
  )
  const spans = traces.flat()
  const both = new Set(traces.flatMap(([root]) => (root !== undefined && random.chance(0.3) ? [root.traceId] : [])))
  const errors = traces.flatMap((trace, index) =>
    random
      .list(2, () => undefined)
      .map((_, at) =>
        error(random.below(6), index * 10 + at, {
          traceId: random.chance(0.9) ? trace[0]?.traceId : undefined,
          service: random.pick(SERVICES),
          time: plus(trace[0]!.startTime, BigInt(random.below(4_000)) * MS),
        }),
      ),
  )
  return { spans, both, errors }
}

function generatedTrace(random: Random, trace: number, start: Nanoseconds): SpanRecord[] {
  const spans: SpanRecord[] = []
  for (const index of Array.from({ length: 1 + random.below(9) }).keys()) {
    const startTime = plus(start, index === 0 ? 0n : BigInt(random.below(3_000)) * MS + BigInt(random.below(1_000)))
    const known = random.pick([...spans.map((each) => each.spanId), spanId(trace * 100 + 99)])
    const pages = spans.filter(({ attributes }) => attributes.has("sentry.op"))
    const parentSpanId = index === 0 && random.chance(0.7) ? undefined : known
    const over = random.pick([
      () => request(random),
      () => request(random),
      () => page(random),
      () => ({ kind: random.pick(SPAN_KINDS), name: random.pick(["render", "SELECT 1"]) }),
      () => (pages.length === 0 ? {} : vital(random, random.pick(pages).spanId)),
    ])()
    spans.push(
      span(trace, trace * 100 + index, {
        startTime,
        endTime: plus(startTime, BigInt(random.pick([0, 1, 7, 90, 400, 2_500])) * MS + BigInt(random.below(1_000))),
        parentSpanId,
        status: { code: random.chance(0.15) ? "error" : "unset", message: "" },
        resource: service(random.pick(SERVICES)),
        ...over,
      }),
    )
  }
  return spans
}

function attributes(of: Record<string, AttributeValue | undefined>): Pick<SpanRecord, "attributes"> {
  const known = Object.entries(of).filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined)
  return { attributes: new Map(known) }
}

function request(random: Random): Partial<SpanRecord> {
  const route = random.chance(0.8) ? random.pick(ROUTES) : undefined
  return { kind: "server", name: `GET ${route ?? ""}`, ...attributes({ "http.route": route }) }
}

function page(random: Random): Partial<SpanRecord> {
  const route = random.chance(0.8) ? random.pick(ROUTES) : undefined
  return {
    kind: random.pick(["internal", "client"]),
    name: route ?? "/users/anna",
    resource: service("page"),
    ...attributes({
      "sentry.op": random.pick(["pageload", "navigation"]),
      "http.route": route,
      "sentry.source": route === undefined ? random.pick(["url", "route"]) : "route",
      "browser.web_vital.lcp.value": random.chance(0.5) ? random.below(6_000) : undefined,
      "sentry.measurement.ttfb": random.chance(0.3) ? random.below(2_000) + 0.5 : undefined,
    }),
  }
}

function vital(random: Random, parentSpanId: SpanRecord["spanId"]): Partial<SpanRecord> {
  const name = random.pick(["lcp", "cls"])
  const value = name === "cls" ? random.below(40) / 100 : random.below(6_000)
  return {
    kind: "internal",
    name: `browser.web_vital.${name}`,
    parentSpanId,
    status: { code: "unset", message: "" },
    resource: service("page"),
    ...attributes({ [`browser.web_vital.${name}.value`]: value }),
  }
}
