import { channel } from "node:diagnostics_channel"
import { onTestFinished } from "vitest"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { readSdkConfig } from "#otel/sdk/config.ts"
import { processState } from "#otel/sdk/process-state.ts"
import { createCollectorExporter } from "#otel/sdk/server/collector.ts"
import { setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
import { setServerRuntime } from "#otel/sdk/server/runtime.ts"

/** A configured server for the tunnel, with an inspector that records spans and drops. */
export function tunnelRuntime(environment: Record<string, string>, sampleRate?: number) {
  const drops: Omit<DropRecord, "sender">[] = []
  const spans: SpanRecord[] = []
  const { config } = readSdkConfig(environment)
  // What earlier requests left of the budgets, and what they learned of an upstream.
  processState("tunnel").value = undefined
  setServerRuntime({
    config,
    pageSettings: {
      service: "shop-browser",
      environment: "production",
      release: "1.2.3",
      ...(sampleRate !== undefined && { sampleRate }),
    },
    collector: createCollectorExporter(config),
    flush: async () => undefined,
  })
  setLocalInspector({
    spans: async (records) => void spans.push(...records),
    drop: (drop) => drops.push(drop),
    refusal: () => undefined,
  })
  onTestFinished(() => setLocalInspector(undefined))
  return {
    spans,
    records: (): readonly Omit<DropRecord, "sender">[] => drops,
    drops: () => drops.map(({ stage, reason, category, count }) => `${stage} ${reason}/${category}=${count}`),
  }
}

/** Every client socket that this process opens until the end of the test. */
export function countedSockets(): unknown[] {
  const sockets: unknown[] = []
  const keep = (message: unknown) => sockets.push(message)
  const opened = channel("net.client.socket")
  opened.subscribe(keep)
  onTestFinished(() => void opened.unsubscribe(keep))
  return sockets
}

export function post(body: string, headers: Record<string, string> = {}): Request {
  return new Request("http://shop.example/monitoring", {
    method: "POST",
    body,
    headers: { host: "shop.example", "content-type": "text/plain;charset=UTF-8", ...headers },
  })
}

export function envelopeText(header: object, ...items: [type: string, payload: object][]): string {
  return [header, ...items.flatMap(([type, payload]) => [{ type }, payload])]
    .map((part) => JSON.stringify(part))
    .join("\n")
}
