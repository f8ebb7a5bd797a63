import { Scope } from "@sentry/core"
import { ServerRuntimeClient } from "@sentry/core/server"
import { expect, onTestFinished, test, vi } from "vitest"
import { PageDrops } from "#otel/sdk/browser/delivery/page-drops.ts"
import { dropReportingFetch } from "#otel/sdk/browser/delivery/page-fetch.ts"
import { PageTransport } from "#otel/sdk/browser/delivery/page-transport.ts"
import type { EnvelopeFormatSetting } from "#otel/sdk/envelope-format.ts"
import { type ClientDrop, watchClientDrops } from "#otel/sdk/sentry/client-reports.ts"
import { addErrorProcessor } from "#otel/sdk/sentry/error-processor.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { sendSpanStream } from "#otel/sdk/sentry/span-stream.ts"
import { TransactionProcessor } from "#otel/sdk/sentry/transaction-processor.ts"
import { TransactionSender } from "#otel/sdk/sentry/transaction-sender.ts"
import { parsePageDrops } from "#otel/sdk/tunnel/page-drop-reports.ts"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { finishedSpan, TRACE_ID } from "#tests/sdk/sentry/finished-span.ts"
import { tunnelRuntime } from "./tunnel-runtime.ts"

const SCHEDULES = 1_000
const DSN = "http://publickey@sentry.example/42"
const TUNNEL = "/monitoring"

const chance = (share: number) => Math.random() < share
const oneOf = <T>(...all: readonly [T, ...T[]]): T => all[Math.floor(Math.random() * all.length)] ?? all[0]

/** Numbers of records by category. */
class Sums {
  readonly #sums = new Map<string, number>()

  add(category: string, count: number): void {
    this.#sums.set(category, (this.#sums.get(category) ?? 0) + count)
  }

  get error(): number {
    return this.#sums.get("error") ?? 0
  }

  get transaction(): number {
    return this.#sums.get("transaction") ?? 0
  }

  /** Separate spans. The spans of a transaction count with it, unless they are dropped from it. */
  get span(): number {
    return this.#sums.get("span") ?? 0
  }
}

/** Sentry with random failures. It counts accepted records in `arrived`. */
function failingSentry(arrived: Sums): typeof globalThis.fetch {
  const mode = oneOf("up", "failing", "down")
  return async (_url, init) => {
    if (mode === "down" || (mode === "failing" && chance(0.2))) throw new TypeError("fetch failed")
    const status = mode === "up" ? 200 : oneOf(200, 200, 413, 429, 500, 503)
    const limits =
      status === 429 || chance(0.05) ? oneOf("60:error:org", "60:span;transaction:org", "1::org") : undefined
    if (status === 200) countEnvelope(Buffer.from(init?.body as Uint8Array).toString(), arrived)
    return new Response(null, { status, headers: limits === undefined ? {} : { "x-sentry-rate-limits": limits } })
  }
}

function countEnvelope(text: string, arrived: Sums): void {
  const [, ...lines] = text.split("\n")
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const { type, item_count = 1 } = JSON.parse(lines[index] ?? "{}") as { type: string; item_count?: number }
    if (type !== "client_report") arrived.add(type === "event" ? "error" : type, item_count)
  }
}

/** The client of a page, with the tunnel behind a network that sometimes fails. */
function page(setting: EnvelopeFormatSetting, drops: PageDrops) {
  const network: typeof globalThis.fetch = async (_url, init) => {
    if (chance(0.1)) throw new TypeError("Failed to fetch")
    const headers = { host: "shop.example", "content-type": "text/plain", ...(init?.headers as Record<string, string>) }
    return tunnelHandler(
      new Request("http://shop.example/monitoring", { method: "POST", body: init?.body ?? null, headers }),
    )
  }
  const send = dropReportingFetch(network, drops, () => TUNNEL)
  const drop = drops.add as ClientDrop
  const client = new ServerRuntimeClient({
    dsn: DSN,
    tunnel: TUNNEL,
    integrations: [],
    stackParser: () => [],
    traceLifecycle: "static",
    transport: ({ recordDroppedEvent }) => {
      const pending = new Set<Promise<void>>()
      const transport = new PageTransport({
        url: TUNNEL,
        fetch: send,
        isTunnelled: () => true,
        lost: (reason, category, count) => {
          recordDroppedEvent(reason, category, count)
          drop(reason, category, count)
        },
        refused: drop,
      })
      return {
        send: async (envelope) => {
          const sent = transport.send(envelope)
          pending.add(sent)
          await sent
          pending.delete(sent)
          return {}
        },
        flush: () => Promise.all(pending).then(() => true),
      }
    },
  })
  client.init()
  watchClientDrops(client, drop)
  addErrorProcessor(client, {
    side: "page",
    service: "shop",
    filters: () => ({
      errors: [{ name: "noisy", reason: "noisy_error", drops: () => chance(0.2) }],
      transactions: [],
      beforeSend: (event) => {
        if (chance(0.1)) throw new Error("a callback of the app")
        return chance(0.1) ? null : event
      },
    }),
    traceOf: () => undefined,
    drop: (reason) => drops.add(reason, "error", 1),
    filterFailed: () => undefined,
  })
  const sender = new TransactionSender({
    client,
    setting,
    stream: () => sendSpanStream,
    drop: (count) => drops.count("limit_spans", "span", count),
  })
  return { client, sender }
}

test(`every record is delivered or dropped through the tunnel, by category, over ${SCHEDULES} random schedules of faults`, async () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  for (let round = 0; round < SCHEDULES; round++) {
    const [arrived, dropped] = [new Sums(), new Sums()]
    vi.stubGlobal("fetch", failingSentry(arrived))
    const { records } = tunnelRuntime({ SENTRY_DSN: DSN })
    const drops = new PageDrops()
    const setting = oneOf<EnvelopeFormatSetting>("transaction", "stream")
    const { client, sender } = page(setting, drops)
    const bridge = new TransactionProcessor({
      side: "page",
      graceMs: 0,
      spanLimit: 3,
      filters: () => ({
        errors: [],
        transactions: [{ name: "some", reason: "not_found_trace", drops: () => chance(0.1) }],
      }),
      filterFailed: () => undefined,
      deliver: (transaction) => sender.send(transaction, { trace_id: TRACE_ID, public_key: "publickey" }),
      drop: drops.count,
      newEventId: () => "9".repeat(32),
      mapping: semconvMapping,
    })
    let [errors, roots, spans] = [0, 0, 0]
    for (let step = 0; step < 8; step++) {
      if (chance(0.5)) {
        errors++
        client.captureException(new Error(`error ${step}`), {}, new Scope())
      } else {
        roots++
        const sampled = chance(0.8)
        const root = finishedSpan({ spanId: String(step + 1).repeat(16), sampled })
        const children = Array.from({ length: Math.floor(Math.random() * 5) }, (_, index) =>
          finishedSpan({
            spanId: `${step + 1}${index}`.repeat(8),
            parent: { spanId: root.spanContext().spanId },
            sampled,
          }),
        )
        spans += children.length + 1
        for (const span of [root, ...children]) bridge.onStart(span)
        for (const span of [...children, root]) bridge.onEnd(span)
      }
      if (chance(0.3)) await client.flush(100)
    }
    await client.flush(1_000)
    for (const { category, count } of records()) dropped.add(category, count)
    // The page would report its remaining drops with its next delivery.
    while (!drops.isEmpty)
      for (const { drops: reported } of parsePageDrops(drops.take().header) ?? [])
        for (const { category, count } of reported) dropped.add(category, count)
    expect([round, arrived.error + dropped.error]).toEqual([round, errors])
    if (setting === "transaction") expect([round, arrived.transaction + dropped.transaction]).toEqual([round, roots])
    else expect([round, arrived.span + dropped.span]).toEqual([round, spans])
  }
})
