import type { LogJson, LogValue } from "../logs/log-json.ts"
import { eventNameOf } from "../logs/log-text.ts"
import { isFields, type Message, messagesOf } from "./messages.ts"

/** Attributes of a span or an event, as plain JSON. */
export type PlainAttributes = Readonly<Record<string, LogValue>>

/** An event of a span, or a log record of it. */
export interface PlainEvent {
  readonly name: string
  readonly attributes: PlainAttributes
  /** The body of a log record. */
  readonly body?: LogValue | undefined
}

/**
 * The messages that a span recorded, from the first of these places that has any: its attributes, its events, its logs. The
 * conventions up to 1.36 have an event for each message, later ones attributes, or one event with the same attributes.
 */
export function recordedMessages(
  attributes: PlainAttributes,
  events: readonly PlainEvent[],
  logs: readonly PlainEvent[],
): Message[] {
  const own = attributeMessages(attributes)
  if (own.length > 0) return own
  const ofEvents = events.flatMap(eventMessages)
  return ofEvents.length > 0 ? ofEvents : logs.flatMap(eventMessages)
}

export function eventOfLog(log: LogJson): PlainEvent {
  return { name: eventNameOf(log), attributes: log.attributes, body: log.body }
}

/** Input and output under the names of the conventions, then of Sentry, OpenLLMetry and Vercel's AI SDK. */
const INPUT = ["gen_ai.input.messages", "gen_ai.request.messages", "gen_ai.prompt", "ai.prompt.messages", "ai.prompt"]
const OUTPUT = ["gen_ai.output.messages", "gen_ai.completion"]
const OUTPUT_TEXT = ["gen_ai.response.text", "ai.response.text", "gen_ai.response.object", "ai.response.object"]
const OUTPUT_CALLS = ["gen_ai.response.tool_calls", "ai.response.toolCalls"]

function attributeMessages(attributes: PlainAttributes): Message[] {
  const first = (names: readonly string[]) => names.map((name) => attributes[name]).find((value) => value !== undefined)
  const system = messagesOf(attributes["gen_ai.system_instructions"], "system", false)
  const input = messagesOf(first(INPUT), "user", false)
  const output = messagesOf(first(OUTPUT), "assistant", true)
  return [
    ...system,
    ...(input.length > 0 ? input : numbered(attributes, "gen_ai.prompt.", "user", false)),
    ...(output.length > 0 ? output : numbered(attributes, "gen_ai.completion.", "assistant", true)),
    ...(output.length > 0 ? [] : messagesOf(first(OUTPUT_TEXT), "assistant", true)),
    ...(output.length > 0 ? [] : callsOf(first(OUTPUT_CALLS))),
  ]
}

function callsOf(calls: LogValue | undefined): Message[] {
  return calls === undefined ? [] : messagesOf({ role: "assistant", tool_calls: calls }, "assistant", true)
}

/** Messages of one attribute for each field: `gen_ai.prompt.0.content`, `gen_ai.prompt.0.tool_calls.0.name`. */
function numbered(attributes: PlainAttributes, prefix: string, role: string, isOutput: boolean): Message[] {
  const messages = new Map<number, Record<string, LogValue>>()
  for (const [key, value] of Object.entries(attributes)) {
    const [, index, field = "", call, inner = ""] =
      /^(\d{1,4})\.(\w+)(?:\.(\d{1,4})\.(\w+))?$/.exec(key.startsWith(prefix) ? key.slice(prefix.length) : "") ?? []
    if (index === undefined || value === undefined) continue
    const message = messages.get(Number(index)) ?? {}
    messages.set(Number(index), message)
    if (call === undefined) message[field] = value
    else message[field] = withField(message[field], Number(call), inner, value)
  }
  return [...messages].toSorted(([a], [b]) => a - b).flatMap(([, message]) => messagesOf(message, role, isOutput))
}

/** Calls of one message. */
const CALLS = 50

function withField(list: LogValue | undefined, index: number, field: string, value: LogValue): LogValue {
  const calls = Array.isArray(list) ? [...(list as readonly LogValue[])] : []
  if (index >= CALLS) return calls
  while (calls.length <= index) calls.push({})
  const call = calls[index]
  calls[index] = { ...(isFields(call) ? call : {}), [field]: value }
  return calls
}

const ROLES: ReadonlyMap<string, string> = new Map(
  ["system", "user", "assistant", "tool"].map((role) => [`gen_ai.${role}.message`, role]),
)

function eventMessages({ name, attributes, body }: PlainEvent): Message[] {
  const role = ROLES.get(name)
  const content = isFields(body) ? body : (attributes["gen_ai.event.content"] ?? body ?? attributes)
  if (role !== undefined) return messagesOf(content, role, false)
  if (name === "gen_ai.choice") return messagesOf(content, "assistant", true)
  if (name === "gen_ai.content.prompt") return messagesOf(attributes["gen_ai.prompt"], "user", false)
  if (name === "gen_ai.content.completion") return messagesOf(attributes["gen_ai.completion"], "assistant", true)
  if (name !== "gen_ai.client.inference.operation.details") return []
  return attributeMessages(isFields(body) ? { ...body, ...attributes } : attributes)
}
