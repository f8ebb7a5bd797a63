import { describe, expect, it } from "vitest"
import { genAiCall, type GenAiCall } from "#otel/inspector/queries/gen-ai/gen-ai-call.ts"
import { MESSAGE_LIMIT, PART_LIMIT } from "#otel/inspector/queries/gen-ai/messages.ts"
import type { LogJson, LogValue } from "#otel/inspector/queries/logs/log-json.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanEvent } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { makeSpan } from "./make-span.ts"

type Bag = Readonly<Record<string, AttributeValue>>

const event = (name: string, attributes: Bag): SpanEvent => ({
  time: nanoseconds(1n),
  name,
  attributes: new Map(Object.entries(attributes)),
})

function callOf(attributes: Bag, more: { events?: readonly SpanEvent[]; logs?: readonly object[] } = {}): GenAiCall {
  const span = makeSpan(1, { attributes: new Map(Object.entries(attributes)), events: more.events ?? [] })
  return genAiCall(span, (more.logs ?? []) as LogJson[], new Map())!
}

/** `role: part | part`, with `→` before what the call generated. */
function lines({ messages }: GenAiCall): string[] {
  return messages.map(({ role, isOutput, parts }) => {
    const shown = parts.map((part) => {
      if (part.is === "tool_call") return `${part.name}(${part.input.text}) = ${part.result?.text ?? "?"}`
      return part.is === "tool_result"
        ? `result ${part.result.text}`
        : `${part.is === "text" ? "" : part.is} ${part.text}`.trim()
    })
    return `${isOutput ? "→ " : ""}${role}: ${shown.join(" | ")}`
  })
}

const CHAT: Bag = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "small" }
const json = (value: LogValue) => JSON.stringify(value)
const text = (content: string) => ({ type: "text", content })

/** The same conversation, as conventions and libraries record it. */
const CONVERSATION = [
  "system: Be brief.",
  "user: Weather in Bern?",
  'assistant: weather({"city":"Bern"}) = sunny',
  "→ assistant: It is sunny.",
]
const OPENAI = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "Weather in Bern?" }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", function: { name: "weather", arguments: '{"city":"Bern"}' } }],
  },
  { role: "tool", tool_call_id: "c1", content: "sunny" },
]

describe("the messages of a call", () => {
  it("are those of the attributes of the current conventions, as JSON and structured", () => {
    const parts = [
      { role: "user", parts: [text("Weather in Bern?")] },
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: '{"city":"Bern"}' }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "sunny" }] },
    ]
    const output = [{ role: "assistant", parts: [text("It is sunny.")], finish_reason: "stop" }]
    const call = callOf({
      ...CHAT,
      "gen_ai.system_instructions": json([text("Be brief.")]),
      "gen_ai.input.messages": json(parts),
      "gen_ai.output.messages": json(output),
    })
    expect(lines(call)).toEqual(CONVERSATION)
    expect(call.messages.at(-1)?.finishReason).toBe("stop")
    const structured = new Map<string, AttributeValue>([
      ["role", "user"],
      [
        "parts",
        [
          new Map([
            ["type", "text"],
            ["content", "Weather in Bern?"],
          ]),
        ],
      ],
    ])
    expect(lines(callOf({ "gen_ai.input.messages": [structured] }))).toEqual(["user: Weather in Bern?"])
  })

  it("are those of one event for the call, of the span or of its logs", () => {
    const attributes = {
      "gen_ai.input.messages": json([...OPENAI] as unknown as LogValue),
      "gen_ai.output.messages": json([{ role: "assistant", parts: [text("It is sunny.")] }]),
    }
    const name = "gen_ai.client.inference.operation.details"
    expect(lines(callOf(CHAT, { events: [event(name, attributes)] }))).toEqual(CONVERSATION)
    expect(lines(callOf(CHAT, { logs: [{ eventName: name, attributes, body: null }] }))).toEqual(CONVERSATION)
    expect(
      lines(callOf(CHAT, { logs: [{ eventName: "", attributes: { ...attributes, "event.name": name }, body: null }] })),
    ).toEqual(CONVERSATION)
  })

  it("are those of an event for each message, as conventions up to 1.36 have them", () => {
    const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content: "It is sunny." } }
    const bodies = [
      ["gen_ai.system.message", { content: "Be brief." }],
      ["gen_ai.user.message", { content: "Weather in Bern?" }],
      ["gen_ai.assistant.message", OPENAI[2]],
      ["gen_ai.tool.message", { id: "c1", content: "sunny" }],
      ["gen_ai.choice", choice],
    ] as const
    expect(
      lines(callOf(CHAT, { logs: bodies.map(([eventName, body]) => ({ eventName, body, attributes: {} })) })),
    ).toEqual(CONVERSATION)
    const events = bodies.map(([name, body]) => event(name, { "gen_ai.event.content": JSON.stringify(body) }))
    expect(lines(callOf(CHAT, { events }))).toEqual(CONVERSATION)
  })

  it("are those of Sentry, of OpenLLMetry and of Vercel's AI SDK", () => {
    const sentry = {
      "gen_ai.request.messages": json(OPENAI as unknown as LogValue),
      "gen_ai.response.text": "It is sunny.",
    }
    expect(lines(callOf(sentry))).toEqual(CONVERSATION)
    const numbered = {
      "gen_ai.prompt.0.role": "system",
      "gen_ai.prompt.0.content": "Be brief.",
      "gen_ai.prompt.1.role": "user",
      "gen_ai.prompt.1.content": "Weather in Bern?",
      "gen_ai.prompt.2.role": "assistant",
      "gen_ai.prompt.2.tool_calls.0.id": "c1",
      "gen_ai.prompt.2.tool_calls.0.name": "weather",
      "gen_ai.prompt.2.tool_calls.0.arguments": '{"city":"Bern"}',
      "gen_ai.prompt.3.role": "tool",
      "gen_ai.prompt.3.tool_call_id": "c1",
      "gen_ai.prompt.3.content": "sunny",
      "gen_ai.completion.0.content": "It is sunny.",
    }
    expect(lines(callOf(numbered))).toEqual(CONVERSATION)
    const sdk = [
      { role: "user", content: [{ type: "text", text: "Weather in Bern?" }] },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: '{"city":"Bern"}' }],
      },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "weather", output: "sunny" }] },
    ]
    const vercel = {
      "gen_ai.request.model": "small",
      "ai.prompt": json({ system: "Be brief.", messages: sdk }),
      "ai.response.text": "It is sunny.",
    }
    expect(lines(callOf(vercel))).toEqual(CONVERSATION)
  })

  it("have the call and the result of a tool that the span executed, and results from other spans of the trace", () => {
    const tool = { "gen_ai.tool.name": "weather", "gen_ai.tool.call.arguments": '{"city":"Bern"}' }
    expect(lines(callOf({ ...tool, "gen_ai.tool.call.result": "sunny" }))).toEqual([
      '→ tool: weather({"city":"Bern"}) = sunny',
    ])
    expect(lines(callOf(tool))).toEqual(['→ tool: weather({"city":"Bern"}) = ?'])
    const asked = makeSpan(1, {
      attributes: new Map([
        [
          "gen_ai.output.messages",
          json([{ role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "weather", arguments: {} }] }]),
        ],
      ]),
    })
    const call = genAiCall(asked, [], new Map([["c1", { text: "sunny" }]]))!
    expect(lines(call)).toEqual(["→ assistant: weather({}) = sunny"])
  })

  it.each([
    ["a text", "Hello", ["user: Hello"]],
    ["broken JSON", '[{"role":', ['user: [{"role":']],
    ["an unknown part", '[{"role":"user","parts":[{"type":"blob","mime_type":"image/png"}]}]', ["user: other"]],
    ["numbers, null and nested lists", "[1,null,[2]]", ["user: 1", "user: 2"]],
    ["nothing", "", []],
    ["__proto__", '[{"__proto__":{"role":"x"},"content":"safe"}]', ["user: safe"]],
  ])("of %s are shown as they are", (_, value, expected) => {
    const shown = lines(callOf({ "gen_ai.input.messages": value })).map((line) =>
      line.replace(/ other .*/s, " other").trim(),
    )
    expect(shown.filter((line) => line !== "user:")).toEqual(expected)
  })

  it.each([
    ["lists", "[".repeat(60_000) + "]".repeat(60_000)],
    ["objects", '{"messages":'.repeat(60_000) + "1" + "}".repeat(60_000)],
  ])("are text where %s are nested too deeply to walk", (_what, deep) => {
    const [message] = callOf({ "gen_ai.input.messages": deep }).messages
    expect(message?.parts).toMatchObject([{ is: "text", text: deep.slice(0, PART_LIMIT), cutFrom: deep.length }])
  })

  it("are bounded in number and in length, and say so", () => {
    const many = Array.from({ length: MESSAGE_LIMIT + 5 }, (_, index) => ({ role: "user", content: `m${index}` }))
    const call = callOf({ "gen_ai.input.messages": json(many) })
    expect([call.messages.length, call.messageCount]).toEqual([MESSAGE_LIMIT, MESSAGE_LIMIT + 5])
    expect(lines(call).at(-1)).toBe(`user: m${MESSAGE_LIMIT + 4}`)
    const [message] = callOf({
      "gen_ai.input.messages": json([{ role: "user", content: "x".repeat(PART_LIMIT + 1) }]),
    }).messages
    expect(message?.parts[0]).toMatchObject({ cutFrom: PART_LIMIT + 1 })
  })
})

describe("a conversation of hostile size", () => {
  it("is cut to its newest messages, though one result stands beside ten thousand calls", () => {
    const calls = Array.from({ length: 50 }, () => ({ type: "tool_call", id: "c1", name: "t", arguments: {} }))
    const asked = Array.from({ length: 200 }, () => ({ role: "assistant", parts: calls }))
    const answer = { role: "tool", tool_call_id: "c1", content: "x".repeat(PART_LIMIT) }
    const call = callOf({ "gen_ai.input.messages": json([...asked, answer]) })
    expect(JSON.stringify(call).length).toBeLessThan(4_000_000)
    expect([call.messages.length, call.messageCount]).toEqual([1, 200])
  })
})

describe("what a call used", () => {
  it("has the names of the conventions, their former names, and a cost where the data names it", () => {
    const usage = {
      "gen_ai.usage.input_tokens": 1_200n,
      "gen_ai.usage.output_tokens": 90n,
      "gen_ai.usage.cache_read.input_tokens": 800n,
    }
    expect(callOf(usage).usage).toEqual({ inputTokens: 1_200, outputTokens: 90, cachedTokens: 800 })
    expect(callOf({ "gen_ai.usage.prompt_tokens": 7n, "gen_ai.cost.total_tokens": 0.0042 }).usage).toEqual({
      inputTokens: 7,
      cost: 0.0042,
    })
    expect(callOf({ "gen_ai.usage.input_tokens": "many", "gen_ai.cost.total_tokens": -1 }).usage).toEqual({})
  })

  it("is of a span with gen_ai attributes only", () => {
    expect(genAiCall(makeSpan(1), [], new Map())).toBeUndefined()
    expect(callOf({ ...CHAT, "gen_ai.system": "openai", "gen_ai.response.finish_reasons": ["stop"] })).toMatchObject({
      operation: "chat",
      provider: "openai",
      requestModel: "small",
      finishReasons: ["stop"],
      messages: [],
    })
  })
})
