import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** A server that samples half of its traces. All consumers must get the same half. */
const REQUESTS = 40
let sentry: RecordingSentry
let collector: RecordingCollector
let app: RunningApp
const htmlTraces: { traceId: string; flags: string; baggage: string }[] = []

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  app = await RunningApp.start({
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.5",
  })
  for (let count = 0; count < REQUESTS; count++) htmlTraces.push(await traceInHtml())
  await waitFor("all that is sampled in Sentry", () => sentry.transactions().length >= sampledIds().length)
  await waitFor("all that is sampled in the collector", () => collectorIds().size >= sampledIds().length)
})

afterAll(async () => {
  await app?.stop()
  await sentry?.close()
  await collector?.close()
})

async function traceInHtml() {
  const html = await (await fetch(`${app.url}/connect`)).text()
  const [, traceId = "", , flags = ""] = /name="traceparent" content="00-(\w+)-(\w+)-(\w+)"/.exec(html) ?? []
  return { traceId, flags, baggage: /name="baggage" content="([^"]*)"/.exec(html)?.[1] ?? "" }
}

function sampledIds(): string[] {
  return htmlTraces.filter(({ flags }) => flags === "01").map(({ traceId }) => traceId)
}

function collectorIds(): Set<string> {
  return new Set(collector.spans().map(({ traceId }) => traceId))
}

describe("sampling", () => {
  test("includes some traces and excludes others", () => {
    expect(sampledIds().length).toBeGreaterThan(0)
    expect(sampledIds().length).toBeLessThan(REQUESTS)
  })

  test("gives Sentry and OTLP the same traces: those with the sampled flag", () => {
    const inSentry = sentry.transactions().map((event: Payload) => event["contexts"].trace.trace_id)
    expect(inSentry.toSorted()).toEqual(sampledIds().toSorted())
    expect([...collectorIds()].toSorted()).toEqual(sampledIds().toSorted())
  })

  test("puts the decision, its rate and its random number into baggage", () => {
    for (const { traceId, flags, baggage } of htmlTraces) {
      expect(baggage).toContain(`sentry-trace_id=${traceId}`)
      expect(baggage).toContain("sentry-sample_rate=0.5")
      const rand = Number(/sentry-sample_rand=([\d.]+)/.exec(baggage)?.[1])
      expect(baggage).toContain(`sentry-sampled=${flags === "01"}`)
      expect(rand < 0.5).toBe(flags === "01")
    }
  })

  test("gives the inspector in this process every trace", async () => {
    await waitFor("all traces in the store", async () => {
      const found = await Promise.all(htmlTraces.map(({ traceId }) => fetch(`${app.url}/api/traces/${traceId}`)))
      return found.every(({ ok }) => ok)
    })
  })

  test("counts the traces that Sentry and the collector did not get", async () => {
    const { dropped: drops } = (await (await fetch(`${app.url}/health`)).json()) as { dropped: Record<string, number> }
    expect(drops["sample_rate"]).toBeGreaterThanOrEqual(REQUESTS - sampledIds().length)
  })
})
