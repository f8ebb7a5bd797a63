import { expect, test } from "vitest"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"
import type { Json } from "#tests/protocol/sentry/envelopes.ts"
import { rubyWithSentry } from "#tests/support/interpreters.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { runProgram } from "./run-program.ts"

test("what Sentry's Ruby SDK sends is stored: small envelopes with an empty Content-Encoding, large ones with gzip", async () => {
  const running = await startInspector()
  expect(await runProgram(rubyWithSentry(), "sentry_program.rb", `http://any@127.0.0.1:${running.port}/42`)).toBe("")
  const trace = await waitFor("the trace", async () => {
    const { traces } = await running.read("/api/traces")
    return traces.find(({ spanCount }: Json) => spanCount === 2)
  })
  expect(trace).toMatchObject({ name: "checkout", services: ["program"], sources: ["sentry"], errorCount: 0 })
  const { resourceSpans } = await running.read(`/api/traces/${trace.traceId}`)
  expect(resourceSpans[0].resource.attributes).toEqual(
    expect.arrayContaining([
      { key: "telemetry.sdk.name", value: { stringValue: "sentry.ruby" } },
      { key: "telemetry.sdk.language", value: { stringValue: "ruby" } },
      { key: "service.version", value: { stringValue: "1.2.3" } },
    ]),
  )
  const issues: Json[] = await waitFor("both issues", async () => {
    const { issues: found } = await running.read("/api/errors")
    return found.length === 2 && found
  })
  expect(issues.map(({ title }) => title).toSorted()).toEqual(["ArgumentError: no such cart", "a large message"])
  const error = issues.find(({ title }) => title !== "a large message")!
  expect(error).toMatchObject({ lastTraceId: trace.traceId, environments: ["test"], releases: ["1.2.3"] })
  const { events } = await running.read(`/api/errors/${error["issueId"]}`)
  expect(events).toMatchObject([
    {
      tags: expect.arrayContaining([{ key: "area", value: { stringValue: "checkout" } }]),
      exceptions: [
        { type: "ArgumentError", value: "no such cart" },
        { type: "KeyError", value: "row 12 is gone" },
      ],
    },
  ])
  expect(events[0].exceptions[0].frames.at(-1)).toMatchObject({
    context: expect.stringContaining("raise ArgumentError"),
  })
  expect((await running.read("/api/dropped")).dropped).toEqual([])
})
