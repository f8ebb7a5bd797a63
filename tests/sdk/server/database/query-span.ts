import { expect } from "vitest"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import type { RecordingCollector } from "#tests/support/recording-collector.ts"
import type { Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"

/** A value in every query of the apps. No span contains it. */
const VALUE = "a secret value"

interface Destinations {
  readonly sentry: RecordingSentry
  readonly collector: RecordingCollector
}

/**
 * Expects the query of a request as a span below it, over OTLP and in Sentry, without its values.
 *
 * @returns the spans between the query and the request, the nearest first.
 */
export async function expectQuerySpan(
  { sentry, collector }: Destinations,
  path: string,
  query: string | RegExp,
): Promise<readonly SpanRecord[]> {
  const isQuery = (text: string) => (typeof query === "string" ? text === query : query.test(text))
  const transaction = await sentry.waitForTransaction(path, (each) => each["transaction"] === `GET ${path}`)
  const sent = (transaction["spans"] as Payload[]).find(({ description }) => isQuery(description))
  expect(sent).toMatchObject({ op: "db", data: { "db.system.name": "postgresql" } })
  const span = await collector.waitForSpan("of the query", ({ spanId }) => spanId === sent!["span_id"])
  expect(span.traceId).toBe(transaction["contexts"].trace.trace_id)
  const byId = new Map<string, SpanRecord>(collector.spans().map((each) => [each.spanId, each]))
  const above: SpanRecord[] = []
  for (let at = byId.get(span.parentSpanId ?? ""); at !== undefined; at = byId.get(at.parentSpanId ?? ""))
    above.push(at)
  expect(above.at(-1)?.name).toBe(`GET ${path}`)
  const values = [
    JSON.stringify(transaction),
    ...[span, ...above].flatMap(({ attributes }) => [...attributes.values()]),
  ]
  expect(values.join("\n")).not.toContain(VALUE)
  return above
}
