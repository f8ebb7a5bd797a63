import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { describe, expect, onTestFinished, test } from "vitest"
import { createMcpServer } from "#otel/inspector/mcp/server.ts"
import type { ToolQueries } from "#otel/inspector/mcp/tool.ts"
import { subtreeText } from "#otel/inspector/queries/trace/subtree-text.ts"
import { spanId, TRACE_ID } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"
import { FORGED, frameOf, HIDDEN, ORDER, stringsIn } from "./forged-texts.ts"
import { queriesOf } from "./queries-of.ts"

async function connect(queries: ToolQueries): Promise<Client> {
  const client = new Client({ name: "test", version: "1" })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await createMcpServer(queries, "1.0.0").connect(theirs)
  await client.connect(ours)
  onTestFinished(() => client.close())
  return client
}

const CALLS: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ["find_traces", {}],
  ["what_differs", {}],
  ["find_errors", {}],
  ["get_error", { issueId: "1".repeat(32) }],
  ["trace_topology", { traceId: TRACE_ID }],
  ["critical_path", { traceId: TRACE_ID }],
  ["get_findings", { traceId: TRACE_ID }],
  ["get_span", { traceId: TRACE_ID, spanId: spanId(2) }],
  ["get_logs", {}],
  ["compare", {}],
  ["list_services", {}],
  ["get_service", { service: "shop" }],
  ["get_session", { sessionId: "s1" }],
  ["assert_budget", { budgets: {} }],
  ["get_drops", {}],
]

interface Answer {
  readonly text: string
  readonly structured: object
}

async function answersFor(text: string): Promise<ReadonlyMap<string, Answer>> {
  const client = await connect(queriesOf(text))
  const answers = new Map<string, Answer>()
  for (const [name, given] of CALLS) {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: given })
    expect([name, isError]).toStrictEqual([name, undefined])
    answers.set(name, {
      text: (content as { text: string }[])[0]!.text,
      structured: (structuredContent ?? {}) as object,
    })
  }
  return answers
}

test("every tool is called", async () => {
  const { tools } = await (await connect(queriesOf("plain"))).listTools()
  expect(tools.map(({ name }) => name).toSorted()).toStrictEqual(CALLS.map(([name]) => name).toSorted())
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
})

describe("in every field of every record", () => {
  test.each(FORGED)("%s do not change what a tool itself says", async (_name, text) => {
    const [plain, forged] = [await answersFor("plain"), await answersFor(text)]
    for (const [name, answer] of forged) {
      expect([name, frameOf(answer.text)]).toStrictEqual([name, frameOf(plain.get(name)!.text)])
      expect([name, HIDDEN.exec(answer.text)]).toStrictEqual([name, null])
      for (const each of stringsIn(answer.structured))
        expect([name, each]).not.toEqual([name, expect.stringMatching(/[\n⟦⟧]/)])
      expect([name, HIDDEN.exec(JSON.stringify(answer.structured))]).toStrictEqual([name, null])
    }
  })

  test.each(FORGED)("%s do not change the text of a subtree", async (_name, text) => {
    const textOf = async (each: string) => {
      const { spans } = await queriesOf(each).trace("")
      return subtreeText(tableOf([...spans]), 0, spans)
    }
    const forged = await textOf(text)
    expect(frameOf(forged)).toBe(frameOf(await textOf("plain")))
    expect(HIDDEN.exec(forged)).toBeNull()
  })

  test.each([
    ["a megabyte in one line", "x".repeat(1_000_000)],
    ["64 KiB of new lines", "\n".repeat(65_536)],
    ["64 KiB of delimiters", "⟧".repeat(65_536)],
  ])("%s leave a response bounded", async (_name, text) => {
    for (const [name, answer] of await answersFor(text)) {
      expect([name, answer.text.length < 17_000]).toStrictEqual([name, true])
      expect([name, JSON.stringify(answer.structured).length < 64_000]).toStrictEqual([name, true])
    }
  })

  test("a secret is redacted", async () => {
    const secret = "correct0horse0battery0staple"
    for (const text of [`Bearer ${secret}`, `https://api.example/v1?token=${secret}`, `password=${secret}`])
      for (const [name, answer] of await answersFor(text))
        expect([name, text, JSON.stringify(answer).includes(secret)]).toStrictEqual([name, text, false])
  })
})

test("an error that is not meant for agents reveals nothing of what is stored", async () => {
  const failing = { ...queriesOf("plain"), drops: () => Promise.reject(new Error(`in row ${ORDER}`)) }
  const { content, isError } = await (await connect(failing)).callTool({ name: "get_drops", arguments: {} })
  expect([content, isError]).toStrictEqual([[{ type: "text", text: "The tool failed." }], true])
})
