import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { otlpSpan, post } from "#tests/cli/server/launch-inspector.ts"
import { startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"
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
  expect(await post(first.url, [otlpSpan(1)])).toBe(200)
  await waitFor("the first delivery", () => collector.requests() > 0)
  const second = await startWithoutStore(config)
  await waitFor("the refusal", () => second.inspector.receiver.problem()?.includes("is open in process"))
  // Its forwarder would read the queue meanwhile.
  expect(await post(second.url, [otlpSpan(2)])).toBe(503)
  expect(collector.requests()).toBe(1)
  await first.inspector.close()
  // A request that took too long was sent again.
  const ofFirst = collector.requests()
  await waitFor("the delivery of the second", () => collector.requests() > ofFirst)
})
