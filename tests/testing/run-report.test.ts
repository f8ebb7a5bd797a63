import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { RunReport } from "#otel/testing/run-report.ts"
import { randomIds } from "#otel/testing/trace-ids.ts"

/** An inspector that takes spans, and whose queries do not end. */
async function slowInspector(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === "/health") response.end('{"status":"ok","queue":{"depth":0,"oldestMs":0}}')
    else if (request.method === "POST") response.end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test("the report of a run has the address of each failed trace, also if the inspector does not answer in time", async () => {
  const url = await slowInspector()
  const lines: string[] = []
  const report = new RunReport({
    framework: "vitest",
    run: "unit",
    environment: { PAGESPAN_URL: url },
    log: (line) => lines.push(line),
  })
  const failed = ["one", "two", "three"].map((title) => {
    const times = { startMs: Date.now() - 5, endMs: Date.now() }
    const shared = { file: "a.test.ts", status: "fail" as const, retry: 0, errors: [], steps: [] }
    return { ...randomIds(), ...times, ...shared, titles: [title] }
  })
  for (const attempt of failed) report.add(attempt, true)
  await report.finish()
  expect(lines).toEqual([
    ...failed.flatMap(({ traceId, titles: [title] }) => [
      `pagespan: a.test.ts › ${title}`,
      `  ${url}/traces/${traceId}`,
      "  findings and errors could not be read",
    ]),
    `pagespan: 3 traces of run unit: ${url}/traces?q=run%3Aunit`,
  ])
})
