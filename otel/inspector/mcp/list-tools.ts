import type { DropSender } from "../../protocol/records/drop.ts"
import { redactAttribute } from "../../protocol/redact.ts"
import { boundedList, boundedText, delimited, stored } from "../queries/agent-text.ts"
import { LIST_PAGE_LIMIT } from "../queries/list/parameter-reader.ts"
import { headOf, milliseconds, type ToolQueries, type ToolResult } from "./tool.ts"

/** The tools that look across traces: find_traces, find_errors, get_error and get_drops. */

/** One line for each trace, newest first. */
export async function findTraces(
  queries: ToolQueries,
  { filter, since, limit }: { filter: string; since?: string | undefined; limit: number },
): Promise<ToolResult> {
  const found = await queries.traces(filter, since)
  const all = found.slice(0, limit).map((trace) => ({
    traceId: trace.traceId,
    name: stored(trace.name),
    services: trace.services.slice(0, SERVICES).map((service) => stored(service)),
    durationMs: Number(trace.durationNano) / 1e6,
    spans: trace.spanCount,
    errors: trace.errorCount,
    reportedErrors: trace.reportedErrorCount ?? 0,
  }))
  const orMore = found.length >= LIST_PAGE_LIMIT
  const head = `${found.length}${orMore ? " or more" : ""} traces${found.length > limit ? `, the newest ${limit} of them` : ""}:`
  const { text, entries: traces } = boundedList(
    headOf(filter, head),
    all,
    ({ traceId, name, services, durationMs, spans, errors, reportedErrors }) => {
      const failed = errors > 0 ? `, ${errors} failed` : ""
      const reported =
        reportedErrors > 0 ? `, ${reportedErrors} ${reportedErrors === 1 ? "error" : "errors"} reported` : ""
      return `${traceId} ${milliseconds(durationMs * 1e6)} ${delimited(name)} (${services.map(delimited).join(", ")}) ${spans} spans${failed}${reported}`
    },
  )
  return { text, structured: { count: found.length, orMore, traces } }
}

/** Services that are named of one trace or issue. */
const SERVICES = 10

interface DifferencesInput {
  readonly filter: string
  readonly baseline?: string | undefined
  readonly since?: string | undefined
}

/** One line for each value, the largest difference first. */
export async function whatDiffers(queries: ToolQueries, input: DifferencesInput): Promise<ToolResult> {
  const { filter, baseline, since } = input
  const found = await queries.differences({
    q: filter,
    ...(since !== undefined && { since }),
    ...(baseline !== undefined && { baseline, ...(since !== undefined && { baselineSince: since }) }),
  })
  const values = found.attributes
    .flatMap(({ attribute, values: all }) =>
      all.map(({ value, selection, baseline: others, difference }) => ({
        attribute: stored(attribute),
        value: stored(redactAttribute(attribute, value)),
        selection,
        baseline: others,
        difference,
      })),
    )
    .sort((a, b) => b.difference - a.difference)
  const group = ({ traces, sampled, filter: text }: typeof found.selection) =>
    `${traces} traces${text === "" ? "" : ` of ${delimited(stored(text))}`}${sampled < traces ? ` (${sampled} sampled)` : ""}`
  const omitted = found.omitted.map((name) => stored(name)).slice(0, OMITTED)
  const head = [
    headOf(filter, `What differs in ${group(found.selection)} from the other ${group(found.baseline)}:`),
    ...(omitted.length === 0
      ? []
      : [`Left out because nearly every trace has its own value: ${omitted.map(delimited).join(", ")}`]),
  ].join("\n")
  const { text, entries } = boundedList(
    head,
    values,
    ({ attribute, value, selection, baseline: others }) =>
      `${percent(selection)} against ${percent(others)}: ${delimited(attribute)} = ${delimited(value)}`,
  )
  const [selection, others] = [found.selection, found.baseline].map((each) => ({
    ...each,
    filter: stored(each.filter),
  }))
  return { text, structured: { selection, baseline: others, values: entries, omitted } }
}

/** Omitted attributes that are named. */
const OMITTED = 20

function percent({ traces, share }: { readonly traces: number; readonly share: number }): string {
  return `${Math.round(share * 100)} % (${traces})`
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
  const all = found.map(({ issueId, title, count, level, transaction, services, lastTraceId }) => ({
    issueId,
    title: stored(title),
    count,
    level: stored(level),
    transaction: stored(transaction),
    services: services.slice(0, SERVICES).map((name) => stored(name)),
    lastTraceId,
  }))
  const { text, entries: issues } = boundedList(
    `${all.length} issues${all.length === limit ? " (there may be more)" : ""}:`,
    all,
    ({ issueId, title, count, transaction, services, lastTraceId }) =>
      `${issueId} ${count}× ${delimited(title)} in ${delimited(transaction)} (${services.map(delimited).join(", ")}) trace ${lastTraceId ?? "none"}`,
  )
  return { text, structured: { issues } }
}

const EXCEPTIONS = 8
const FRAMES = 12

/** The newest event of an issue: its exceptions with their innermost frames, its trace and span, and what users reported. */
export async function getError(queries: ToolQueries, { issueId }: { issueId: string }): Promise<ToolResult> {
  const issue = await queries.issue(issueId)
  const event = issue.events[0]
  const exceptions = (event?.exceptions ?? []).slice(0, EXCEPTIONS).map(({ type, value, frames }) => ({
    type: stored(type),
    value: stored(value, 500),
    frames: frames
      .slice(-FRAMES)
      .toReversed()
      .map((frame) => stored(`${frame.function || "?"} ${frame.file || "?"}:${frame.line ?? "?"}`)),
  }))
  const lines = exceptions.flatMap(({ type, value, frames }) => [
    `${delimited(type)}: ${delimited(value)}`,
    ...frames.map((frame) => `  at ${delimited(frame)}`),
  ])
  const items = event === undefined ? [] : await relatedItems(queries, event.eventId)
  const place = { traceId: event?.traceId ?? issue.lastTraceId, spanId: event?.spanId ?? null }
  const title = stored(issue.title)
  const head = `${delimited(title)}, ${issue.count}×, trace ${place.traceId ?? "none"} span ${place.spanId ?? "none"}`
  const itemLines = items.map(({ type, content }) => `${delimited(type)}: ${delimited(content)}`)
  return {
    text: boundedText([head, ...lines, ...itemLines]),
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
      const content = facts.map(([name, text]) => `${name} ${text}`).join(", ")
      return { itemId, type: stored(type), content: stored(content || `${fileName} ${byteLength} bytes`, 500) }
    })
}

const DROP_RECORDS = 1_000

interface DropSum {
  readonly stage: string
  readonly reason: string
  readonly category: string
  readonly sender: DropSender
  count: number
  /** Of the newest record. */
  readonly sample: string
}

/** Dropped data, summed by stage, sender, reason and category, largest first. */
export async function getDrops(queries: ToolQueries): Promise<ToolResult> {
  const sums = new Map<string, DropSum>()
  const records = await queries.drops(DROP_RECORDS)
  for (const { stage, reason, category, sender, count, sample } of records) {
    const key = `${stage} ${sender} ${reason} ${category}`
    const sum = sums.get(key) ?? { stage, reason, category, sender, count: 0, sample: stored(sample) }
    sum.count += count
    sums.set(key, sum)
  }
  const all = [...sums.values()].sort((a, b) => b.count - a.count)
  const dropped = records.length < DROP_RECORDS ? "Dropped:" : `Dropped, by the newest ${DROP_RECORDS} records:`
  const head = all.length === 0 ? "Nothing was dropped." : dropped
  const { text, entries: drops } = boundedList(
    head,
    all,
    ({ stage, reason, category, sender, count, sample }) =>
      `${count} × ${category} dropped at ${stage}${sender === "client" ? ", as a client reports" : ""}: ${reason}${sample ? `, like ${delimited(sample)}` : ""}`,
  )
  return { text, structured: { drops } }
}
