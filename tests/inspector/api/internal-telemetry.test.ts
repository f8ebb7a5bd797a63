import { expect, test } from "vitest"
import { getTraceFigures } from "#otel/inspector/api/traces.ts"
import { startInspector } from "../ingest/running-inspector.ts"
import { spanRecord } from "../ingest/span-records.ts"
import { ago, plus } from "../store/spans.ts"

test("own=hide leaves out Pagespan's own traces, also with a filter of as many terms as one may have", async () => {
  const { inspector, read } = await startInspector()
  const startTime = ago(60_000)
  const spanOf = (number: number, service: string) =>
    spanRecord(number, {
      startTime,
      endTime: plus(startTime, 1_000n),
      resource: { attributes: new Map([["service.name", service]]), schemaUrl: "" },
    })
  await inspector.receiver.ingest({ spans: ["web", ...inspector.internalServices].map((name, i) => spanOf(i, name)) })
  const servicesOf = async (parameters: Record<string, string>) => {
    const answer = (await read(`/api/traces?${new URLSearchParams(parameters)}`)) as {
      traces: { services: string[] }[]
      notices?: string[]
    }
    return { services: answer.traces.flatMap(({ services }) => services).toSorted(), notices: answer.notices }
  }
  const all = ["pagespan", "pagespan-browser", "web"]
  await expect.poll(() => servicesOf({})).toEqual({ services: all, notices: undefined })
  expect(await servicesOf({ own: "show" })).toEqual({ services: all, notices: undefined })
  const q = Array.from({ length: 60 }, (_, term) => `-name:other${term}`).join(" ")
  expect(await servicesOf({ own: "hide", q })).toEqual({ services: ["web"], notices: undefined })
  const figuresOf = async (parameters: Record<string, string>) => {
    const address = `http://localhost/api/traces/figures?${new URLSearchParams(parameters)}`
    const response = await getTraceFigures(inspector, new Request(address, { headers: { host: "localhost" } }))
    return (await response.json()) as { traces: number; notices?: string[] }
  }
  expect(await figuresOf({ own: "show", q })).toMatchObject({ traces: 3 })
  expect(await figuresOf({ own: "hide", q })).toEqual({ traces: 1, failed: 0, p95Nano: "1000" })
  expect((await servicesOf({ own: "maybe" })).notices).toEqual(['own is "maybe", which is not one of show, hide'])
})
