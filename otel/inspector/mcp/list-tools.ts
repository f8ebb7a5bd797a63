import { redactText } from "../../protocol/redact.ts"
import { boundedText, milliseconds, oneLine, type ToolQueries, type ToolResult } from "./tool.ts"

/** The tools that look across traces: find_traces, find_errors, get_error and get_drops. */

/** One line for each trace, newest first. */
export async function findTraces(
  queries: ToolQueries,
  { filter, since, limit }: { filter: string; since?: string | undefined; limit: number },
): Promise<ToolResult> {
  const found = await queries.traces(filter, since)
  const traces = found.slice(0, limit).map((trace) => ({
    traceId: trace.traceId,
    name: oneLine(trace.name),
    services: trace.services.map((service) => oneLine(service)),
    durationMs: Number(trace.durationNano) / 1e6,
    spans: trace.spanCount,
    errors: trace.errorCount,
  }))
  const lines = traces.map(
    ({ traceId, name, services, durationMs, spans, errors }) =>
      `${traceId} ${milliseconds(durationMs * 1e6)} ${name} (${services.join(", ")}) ${spans} spans${errors > 0 ? `, ${errors} failed` : ""}`,
  )
  const head = `${found.length} traces${found.length > limit ? `, the newest ${limit} of them` : ""}:`
  return { text: boundedText([head, ...lines]), structured: { count: found.length, traces } }
}

/** One line for each issue, last seen first. */
export async function findErrors(
  queries: ToolQueries,
  { service, since, limit }: { service?: string | undefined; since?: string | undefined; limit: number },
): Promise<ToolResult> {
  const found = await queries.errors({
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

const FRAMES = 12

/** The newest event of an issue: its exceptions with their innermost frames, its trace and span, and what users reported. */
export async function getError(queries: ToolQueries, { issueId }: { issueId: string }): Promise<ToolResult> {
  const issue = await queries.issue(issueId)
  const event = issue.events[0]
  const exceptions = (event?.exceptions ?? []).map(({ type, value, frames }) => ({
    type,
    value: oneLine(redactText(value), 500),
    frames: frames
      .slice(-FRAMES)
      .toReversed()
      .map((frame) => oneLine(`${frame.function || "?"} ${frame.file || "?"}:${frame.line ?? "?"}`)),
  }))
  const lines = exceptions.flatMap(({ type, value, frames }) => [
    `${type}: ${value}`,
    ...frames.map((frame) => `  at ${frame}`),
  ])
  const items = event === undefined ? [] : await relatedItems(queries, event.eventId)
  const place = { traceId: event?.traceId ?? issue.lastTraceId, spanId: event?.spanId ?? null }
  const title = oneLine(redactText(issue.title))
  const head = `${title}, ${issue.count}×, trace ${place.traceId ?? "none"} span ${place.spanId ?? "none"}`
  return {
    text: boundedText([head, ...lines, ...items.map(({ type, content }) => `${type}: ${content}`)]),
    structured: { title, count: issue.count, ...place, exceptions, items },
  }
}

const ITEMS = 20

/** User feedback by its text, attachments by name. The event's own item is left out: its exceptions are shown. */
async function relatedItems(queries: ToolQueries, eventId: string) {
  const items = await queries.itemsOfEvent(eventId)
  return items
    .filter(({ type }) => type !== "event")
    .slice(0, ITEMS)
    .map(({ itemId, type, fileName, byteLength, facts }) => {
      const content = facts.map(([name, text]) => `${name} ${redactText(text)}`).join(", ")
      return { itemId, type: oneLine(type), content: oneLine(content || `${fileName} ${byteLength} bytes`, 1_000) }
    })
}

const DROP_RECORDS = 1_000

interface DropSum {
  readonly stage: string
  readonly reason: string
  readonly category: string
  count: number
  /** Of the newest record. */
  readonly sample: string
}

/** Dropped data, summed by stage, reason and category, largest first. */
export async function getDrops(queries: ToolQueries): Promise<ToolResult> {
  const sums = new Map<string, DropSum>()
  for (const { stage, reason, category, count, sample } of await queries.drops(DROP_RECORDS)) {
    const key = `${stage} ${reason} ${category}`
    const sum = sums.get(key) ?? { stage, reason, category, count: 0, sample: oneLine(sample) }
    sum.count += count
    sums.set(key, sum)
  }
  const drops = [...sums.values()].sort((a, b) => b.count - a.count)
  const lines = drops.map(
    ({ stage, reason, category, count, sample }) =>
      `${count} × ${category} dropped at ${stage}: ${reason}${sample ? `, like ${sample}` : ""}`,
  )
  const head = drops.length === 0 ? "Nothing was dropped." : "Dropped:"
  return { text: boundedText([head, ...lines]), structured: { drops } }
}
