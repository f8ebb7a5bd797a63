import { redactText } from "../../protocol/redact.ts"
import type { AgentReader } from "./agent-reader.ts"
import type { Answer } from "./answer.ts"
import { boundedText, oneLine } from "./bounded-text.ts"

/** Issues, what was seen last first. */
export async function findErrors(
  reader: AgentReader,
  { service, since, limit }: { service?: string | undefined; since?: string | undefined; limit: number },
): Promise<Answer> {
  const found = await reader.findErrors({
    limit: String(limit),
    ...(service === undefined ? {} : { service }),
    ...(since === undefined ? {} : { since }),
  })
  const issues = found.map(({ issueId, title, count, level, transaction, services, lastTraceId }) => ({
    issueId,
    title: oneLine(redactText(title)),
    count,
    level,
    transaction: oneLine(transaction),
    services,
    lastTraceId,
  }))
  const lines = issues.map(
    ({ issueId, title, count, transaction, services, lastTraceId }) =>
      `${issueId} ${count}× ${title} in ${transaction || "?"} (${services.join(", ")}) trace ${lastTraceId ?? "none"}`,
  )
  return { text: boundedText([`${issues.length} issues:`, ...lines]), structured: { issues } }
}

interface Frame {
  readonly file?: string
  readonly filename?: string
  readonly function?: string
  readonly line?: number
}

interface Told {
  readonly title: string
  readonly count: number
  readonly lastTraceId: string | null
  readonly events: readonly {
    readonly eventId: string
    readonly traceId: string | null
    readonly spanId: string | null
    readonly type: string
    readonly value: string
    readonly exceptions: readonly {
      readonly type: string
      readonly value: string
      readonly frames?: readonly Frame[]
    }[]
  }[]
}

const FRAMES = 12

/** The newest event of an issue: its chain of exceptions with the innermost frames, where in which trace, and what users said of it. */
export async function readError(reader: AgentReader, { issueId }: { issueId: string }): Promise<Answer> {
  const issue = (await reader.readError(issueId)) as Told
  const event = issue.events[0]
  const exceptions = (event?.exceptions ?? []).map(({ type, value, frames = [] }) => ({
    type,
    value: oneLine(redactText(value), 500),
    frames: frames
      .slice(-FRAMES)
      .toReversed()
      .map((frame) => oneLine(`${frame.function ?? "?"} ${frame.file ?? frame.filename ?? "?"}:${frame.line ?? "?"}`)),
  }))
  const lines = exceptions.flatMap(({ type, value, frames }) => [
    `${type}: ${value}`,
    ...frames.map((frame) => `  at ${frame}`),
  ])
  const items = event === undefined ? [] : await itemsOf(reader, event.eventId)
  const place = { traceId: event?.traceId ?? issue.lastTraceId, spanId: event?.spanId ?? null }
  const head = `${oneLine(redactText(issue.title))}, ${issue.count}×, trace ${place.traceId ?? "none"} span ${place.spanId ?? "none"}`
  return {
    text: boundedText([head, ...lines, ...items.map(({ type, told }) => `${type}: ${told}`)]),
    structured: { title: oneLine(redactText(issue.title)), count: issue.count, ...place, exceptions, items },
  }
}

const ITEMS = 20

/** Feedback in words, attachments by name. The event itself is told by its exceptions. */
async function itemsOf(reader: AgentReader, eventId: string) {
  const items = await reader.readItemsOfEvent(eventId)
  return items
    .filter(({ type }) => type !== "event")
    .slice(0, ITEMS)
    .map(({ itemId, type, fileName, byteLength, facts }) => {
      const told = facts.map(([name, text]) => `${name} ${redactText(text)}`).join(", ")
      return { itemId, type: oneLine(type), told: oneLine(told || `${fileName} ${byteLength} bytes`, 1_000) }
    })
}
