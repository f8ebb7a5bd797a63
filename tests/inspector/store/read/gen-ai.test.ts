import { beforeAll, describe, expect, it } from "vitest"
import { readGenAiView } from "#otel/inspector/queries/gen-ai/gen-ai-view.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { log } from "../events.ts"
import { ago, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()
const start = ago(60_000)

function call(trace: number, id: number, attributes: Readonly<Record<string, AttributeValue>>) {
  return span(trace, id, { startTime: start, attributes: new Map(Object.entries(attributes)) })
}

const tokens = (input: bigint, output: bigint) => ({
  "gen_ai.usage.input_tokens": input,
  "gen_ai.usage.output_tokens": output,
})

/** An agent that sums up its two calls of a model, of which one came over both protocols, and a tool. */
beforeAll(async () => {
  const second = call(1, 3, {
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": "small-2",
    ...tokens(20n, 5n),
    "gen_ai.cost.total_tokens": 0.25,
  })
  await store().insertSpans(
    [
      call(1, 1, { "gen_ai.operation.name": "invoke_agent", ...tokens(120n, 55n) }),
      call(1, 2, {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "small",
        ...tokens(100n, 50n),
        "gen_ai.output.messages": JSON.stringify([
          { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: { city: "Bern" } }] },
        ]),
      }),
      second,
      { ...second, source: "sentry" },
      call(1, 4, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": "sunny",
      }),
      call(1, 5, { "http.route": "/chat" }),
      call(2, 6, { "gen_ai.operation.name": "invoke_agent", ...tokens(7n, 3n) }),
      call(3, 7, { "gen_ai.operation.name": "chat", "gen_ai.request.model": "small" }),
    ],
    "gen-ai",
  )
  const attributes = new Map([["gen_ai.input.messages", JSON.stringify([{ role: "user", content: "Hello" }])]])
  await store().insertLogs(
    [
      log(1, {
        time: start,
        traceId: traceId(3),
        spanId: spanId(7),
        eventName: "gen_ai.client.inference.operation.details",
        attributes,
      }),
    ],
    "logs",
  )
})

describe("what the calls of a trace used", () => {
  it("is the sum of its calls of models, each once, without the agent that sums them up", async () => {
    const { totals } = await store().readGenAi(traceId(1))
    expect(totals).toMatchObject({ calls: 2, inputTokens: 120, outputTokens: 55, cost: 0.25, pricedCalls: 1 })
    expect(totals.models.toSorted()).toEqual(["small", "small-2"])
    expect(totals.cachedTokens).toBeUndefined()
  })

  it("is what the agent reports where no call within it has tokens, and nothing without any", async () => {
    expect((await store().readGenAi(traceId(2))).totals).toMatchObject({ calls: 1, inputTokens: 7, outputTokens: 3 })
    expect((await store().readGenAi(traceId(3))).totals).toMatchObject({
      calls: 0,
      inputTokens: undefined,
      cost: undefined,
    })
    expect((await store().readGenAi(traceId(9))).totals).toEqual({ calls: 0, pricedCalls: 0, models: [] })
  })
})

describe("the call of a span", () => {
  it("has the result that another span of the trace recorded beside the tool call", async () => {
    const view = await readGenAiView(store(), traceId(1), spanId(2))
    expect(view?.call.messages[0]?.parts[0]).toMatchObject({
      is: "tool_call",
      name: "weather",
      result: { text: "sunny" },
    })
    expect(view?.trace.calls).toBe(2)
  })

  it("has the messages of its log records, and is unknown for a span without gen_ai attributes", async () => {
    const view = await readGenAiView(store(), traceId(3), spanId(7))
    expect(view?.call.messages).toEqual([{ role: "user", isOutput: false, parts: [{ is: "text", text: "Hello" }] }])
    expect(await readGenAiView(store(), traceId(1), spanId(5))).toBeUndefined()
    expect(await readGenAiView(store(), traceId(9), spanId(9))).toBeUndefined()
  })
})
