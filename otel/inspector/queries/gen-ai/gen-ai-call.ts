import type { SpanRecord } from "../../../protocol/records/span.ts"
import { jsonOf, type LogJson } from "../logs/log-json.ts"
import { type Message, newestMessages, partText, type PartText, textOf, withResults } from "./messages.ts"
import { eventOfLog, type PlainAttributes, recordedMessages } from "./recorded-messages.ts"

/** A call to a generative model, an agent or a tool, as a span with `gen_ai.*` attributes recorded it. */
export interface GenAiCall {
  /** `chat`, `embeddings`, `invoke_agent`, `execute_tool` and so on; empty where the span names none. */
  readonly operation: string
  readonly provider: string
  readonly requestModel: string
  readonly responseModel: string
  readonly agent: string
  readonly finishReasons: readonly string[]
  readonly usage: GenAiUsage
  /** The newest messages, each result of a tool beside its call. */
  readonly messages: readonly Message[]
  /** Messages in all. */
  readonly messageCount: number
}

/** What a call used. Absent where the data does not name it. */
export interface GenAiUsage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  /** Of the input tokens, those read from the provider's cache. */
  readonly cachedTokens?: number | undefined
  /** Of the output tokens, those of reasoning. */
  readonly reasoningTokens?: number | undefined
  /** US dollars, as the program or its SDK reported them. Pagespan knows no prices. */
  readonly cost?: number | undefined
}

/** Names of usage: of the conventions, then their former ones, then Sentry's. */
export const USAGE_NAMES = {
  inputTokens: ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
  outputTokens: ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
  cachedTokens: ["gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.input_tokens.cached"],
  reasoningTokens: ["gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.output_tokens.reasoning"],
  // The first is Sentry's, the second OpenLIT's: the conventions have no cost.
  cost: ["gen_ai.cost.total_tokens", "gen_ai.usage.cost"],
} as const satisfies Record<keyof GenAiUsage, readonly string[]>

/** All of a trace's calls to models. */
export interface GenAiTotals extends GenAiUsage {
  readonly calls: number
  /** Calls that name a cost: `cost` is theirs. */
  readonly pricedCalls: number
  /** Busiest first. */
  readonly models: readonly string[]
}

/** What the store reads of the spans of a trace with `gen_ai.*` attributes. */
export interface GenAiSpans {
  readonly totals: GenAiTotals
  /** Results of tools by the id of their call. */
  readonly results: ReadonlyMap<string, PartText>
}

export function isGenAi(keys: Iterable<string>): boolean {
  return [...keys].some((key) => key.startsWith("gen_ai."))
}

/** `undefined` for a span without `gen_ai.*` attributes. */
export function genAiCall(
  span: SpanRecord,
  logs: readonly LogJson[],
  results: ReadonlyMap<string, PartText>,
): GenAiCall | undefined {
  if (!isGenAi(span.attributes.keys())) return undefined
  const attributes = plain(span.attributes)
  const text = (...names: readonly string[]) => names.map((name) => textOf(attributes[name])).find(Boolean) ?? ""
  const events = span.events.map(({ name, attributes: own }) => ({ name, attributes: plain(own) }))
  const recorded = recordedMessages(attributes, events, logs.map(eventOfLog))
  const messages = withResults([...recorded, ...toolCall(attributes)], results)
  const reasons = attributes["gen_ai.response.finish_reasons"]
  return {
    operation: text("gen_ai.operation.name"),
    provider: text("gen_ai.provider.name", "gen_ai.system"),
    requestModel: text("gen_ai.request.model"),
    responseModel: text("gen_ai.response.model"),
    agent: text("gen_ai.agent.name"),
    finishReasons: (Array.isArray(reasons) ? reasons : [reasons]).map(textOf).filter(Boolean),
    usage: usageOf(attributes),
    messages: newestMessages(messages),
    messageCount: messages.length,
  }
}

function plain(attributes: SpanRecord["attributes"]): PlainAttributes {
  return Object.fromEntries([...attributes].map(([key, value]) => [key, jsonOf(value)]))
}

/** A span that executes a tool has its call and result as attributes. */
function toolCall(attributes: PlainAttributes): Message[] {
  const name = textOf(attributes["gen_ai.tool.name"])
  if (name === "") return []
  const result = attributes["gen_ai.tool.call.result"] ?? attributes["gen_ai.tool.output"]
  const input = attributes["gen_ai.tool.call.arguments"] ?? attributes["gen_ai.tool.input"]
  const id = textOf(attributes["gen_ai.tool.call.id"]) || "own"
  const answer = result === undefined ? [] : [{ is: "tool_result", id, name, result: partText(result) } as const]
  return [{ role: "tool", isOutput: true, parts: [{ is: "tool_call", id, name, input: partText(input) }, ...answer] }]
}

function usageOf(attributes: PlainAttributes): GenAiUsage {
  const number = (names: readonly string[]) =>
    names.map((name) => Number(attributes[name] ?? Number.NaN)).find((value) => Number.isFinite(value) && value >= 0)
  return Object.fromEntries(
    Object.entries(USAGE_NAMES).map(([name, attributeNames]) => [name, number(attributeNames)]),
  ) as GenAiUsage
}
