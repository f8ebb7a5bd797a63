import { boundedList, boundedText, delimited, stored } from "../queries/agent-text.ts"
import type { ServiceCall, ServiceFigures } from "../queries/services/service-reader.ts"
import { milliseconds, type ToolQueries, type ToolResult } from "./tool.ts"

/** The tools of services and sessions: list_services, get_service and get_session. */

interface ServiceInput {
  readonly filter: string
  readonly since?: string | undefined
}

/** One line for each service, busiest first, with the services that it calls. */
export async function listServices(
  queries: ToolQueries,
  { limit, ...input }: ServiceInput & { readonly limit: number },
): Promise<ToolResult> {
  const found = await queries.services(parametersOf(input))
  const all = found.services.slice(0, limit).map((one) => ({
    ...figuresOf(one),
    service: stored(one.service),
    callers: names(one.callers),
    callees: names(one.callees),
  }))
  const { text, entries: services } = boundedList(
    `${found.total} services${found.total > all.length ? `, the busiest ${all.length} of them` : ""}:`,
    all,
    (one) =>
      `${delimited(one.service)}: ${figuresText(one)}${one.callees.length > 0 ? `, calls ${one.callees.map(delimited).join(", ")}` : ""}`,
  )
  return { text, structured: { count: found.total, services } }
}

/** Services, operations and traces that are named of one service. */
const LISTED = 20

/** What calls a service, what it calls, its operations, and its slowest and failed entries. */
export async function getService(
  queries: ToolQueries,
  { service, ...input }: ServiceInput & { readonly service: string },
): Promise<ToolResult> {
  const found = await queries.service(service, parametersOf(input))
  const calls = (list: readonly ServiceCall[], side: "caller" | "callee") =>
    list.slice(0, LISTED).map((one) => ({ service: stored(one[side]), ...figuresOf(one) }))
  const [callers, callees] = [calls(found.callers, "caller"), calls(found.callees, "callee")]
  const operations = found.operations.slice(0, LISTED).map((one) => ({ name: stored(one.name), ...figuresOf(one) }))
  const traces = (list: typeof found.slowest) =>
    list.slice(0, LISTED).map(({ traceId, spanId, name, durationMs, failed }) => ({
      traceId,
      spanId,
      name: stored(name),
      durationMs,
      failed,
    }))
  const [slowest, failing] = [traces(found.slowest), traces(found.failing)]
  const traceLine = ({ traceId, spanId, name, durationMs }: (typeof slowest)[number]) =>
    `  ${milliseconds(durationMs * 1e6)} ${delimited(name)} trace ${traceId} span ${spanId}`
  const text = boundedText([
    `${delimited(stored(service))}: ${figuresText(figuresOf(found))}`,
    ...section("Called by", callers, (one) => `  ${delimited(one.service)}: ${figuresText(one)}`),
    ...section("Calls", callees, (one) => `  ${delimited(one.service)}: ${figuresText(one)}`),
    ...section("Operations", operations, (one) => `  ${delimited(one.name)}: ${figuresText(one)}`),
    ...section("Slowest", slowest, traceLine),
    ...section("Latest failed", failing, traceLine),
  ])
  return { text, structured: { ...figuresOf(found), callers, callees, operations, slowest, failing } }
}

/** Views of a session that are named, with errors of each. */
const STEPS = 100
const ERRORS = 10

/** The page loads, navigations and errors of one visitor's session, in order. */
export async function getSession(queries: ToolQueries, { sessionId }: { sessionId: string }): Promise<ToolResult> {
  const found = await queries.session(sessionId)
  const all = found.steps.slice(0, STEPS).map(({ view, errors, idleNano }) => ({
    idleMs: Number(idleNano) / 1e6,
    view: view && {
      kind: view.kind,
      traceId: view.traceId,
      spanId: view.spanId,
      name: stored(view.name),
      service: stored(view.service),
      failed: view.failed,
      durationMs: Number(view.durationNano) / 1e6,
      vitals: view.vitals,
    },
    errors: errors.slice(0, ERRORS).map(({ issueId, title, traceId }) => ({ issueId, title: stored(title), traceId })),
  }))
  const cut = found.isCut || found.steps.length > all.length ? ` (there are more)` : ""
  const { text, entries: steps } = boundedList(
    `${found.steps.length} views${cut}:`,
    all,
    ({ view, errors, idleMs }) =>
      `${view === null ? "before the first view" : `${view.kind} ${delimited(view.name)} of ${delimited(view.service)}, ${milliseconds(view.durationMs * 1e6)}${view.failed ? " FAILED" : ""}, trace ${view.traceId}`}${idleMs > 0 ? `, after ${milliseconds(idleMs * 1e6)} without activity` : ""}${errors.map(({ title, issueId }) => `; error ${delimited(title)} issue ${issueId}`).join("")}`,
  )
  return { text, structured: { steps, isCut: cut !== "" } }
}

function parametersOf({ filter, since }: ServiceInput): Record<string, string> {
  return { ...(filter !== "" && { q: filter }), ...(since !== undefined && { since }) }
}

function names(services: readonly string[]): string[] {
  return services.slice(0, LISTED).map((service) => stored(service))
}

function figuresOf({ count, failed, p50, p95 }: ServiceFigures) {
  return { count, failed, p50, p95 }
}

function figuresText({ count, failed, p50, p95 }: ServiceFigures): string {
  return `${count}×, ${failed} failed, p50 ${milliseconds(p50 * 1e6)}, p95 ${milliseconds(p95 * 1e6)}`
}

function section<Entry>(title: string, entries: readonly Entry[], lineOf: (entry: Entry) => string): string[] {
  return entries.length === 0 ? [] : [`${title}:`, ...entries.map(lineOf)]
}
