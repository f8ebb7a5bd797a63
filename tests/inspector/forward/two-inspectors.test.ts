import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"
import { spanRecords } from "#tests/inspector/ingest/span-records.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** A collector that answers no request. */
async function silentCollector() {
  let requests = 0
  const server = createServer(() => void (requests += 1))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests: () => requests }
}

test("of two inspectors on a data directory one forwards, and the other continues when that one has stopped", async () => {
  const collector = await silentCollector()
  const config = {
    PAGESPAN_DATA: await temporaryDirectory(),
    PAGESPAN_FORWARD_OTLP: collector.url,
    PAGESPAN_FORWARD_ALLOWED_ADDRESSES: "127.0.0.1",
  }
  const first = await startWithoutStore(config)
  const otlp = {
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: spanRecords(1).map(({ traceId, spanId }) => ({
              traceId,
              spanId,
              startTimeUnixNano: "1700000000000000000",
              endTimeUnixNano: "1700000001000000000",
            })),
          },
        ],
      },
    ],
  }
  const headers = { "content-type": "application/json" }
  const sent = await fetch(`${first.url}/v1/traces`, { method: "POST", body: JSON.stringify(otlp), headers })
  expect(sent.status).toBe(200)
  await waitFor("the first delivery", () => collector.requests() > 0)
  const second = await startWithoutStore(config)
  await waitFor("the refusal", () => second.inspector.receiver.problem()?.includes("is open in process"))
  // Its forwarder would read the queue meanwhile.
  const refused = await fetch(`${second.url}/v1/traces`, { method: "POST", body: JSON.stringify(otlp), headers })
  expect(refused.status).toBe(503)
  expect(collector.requests()).toBe(1)
  await first.inspector.close()
  // A request that took too long was sent again.
  const ofFirst = collector.requests()
  await waitFor("the delivery of the second", () => collector.requests() > ofFirst)
})
