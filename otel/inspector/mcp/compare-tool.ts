import { boundedText, delimited, stored } from "../queries/agent-text.ts"
import type { ComparedPath, ComparedRoute } from "../queries/compare/compare.ts"
import type { Compared, Difference } from "../queries/compare/comparison.ts"
import { milliseconds, type ToolQueries, type ToolResult } from "./tool.ts"

/** Filters and windows by the names that `GET /api/compare` has. */
export interface CompareInput {
  readonly a: string
  readonly b: string
  readonly since?: string | undefined
  readonly aSince?: string | undefined
  readonly aUntil?: string | undefined
  readonly bSince?: string | undefined
  readonly bUntil?: string | undefined
  readonly limit: number
}

/** Steps of a path that are named: the span and its nearest ancestors. */
const STEPS = 6

/** The tool compare: one line for each route and span path, what differs beyond chance first. */
export async function compareFilters(queries: ToolQueries, input: CompareInput): Promise<ToolResult> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== "")
  const found = await queries.compare(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))
  const routes = found.routes.map((row) => ({ ...row, route: stored(row.route) }))
  const spanPaths = found.spanPaths.map((row) => ({
    ...row,
    path: row.path.slice(-STEPS).map(({ service, name }) => ({ service: stored(service), name: stored(name) })),
  }))
  const { a, b, notices = [] } = found
  const text = boundedText([
    ...notices.map((notice) => stored(notice)),
    `Baseline a: ${a.traces} traces, spans of ${a.sampled}. Current b: ${b.traces} traces, spans of ${b.sampled}.`,
    `${found.routeCount} routes${cutText(routes.length, found.routeCount)}:`,
    ...routes.map(routeLine),
    `${found.spanPathCount} span paths${cutText(spanPaths.length, found.spanPathCount)}:`,
    ...spanPaths.map(pathLine),
  ])
  return { text, structured: { a: sideOf(a), b: sideOf(b), routes, spanPaths } }
}

function sideOf({ traces, sampled }: { readonly traces: number; readonly sampled: number }) {
  return { traces, sampled }
}

function cutText(shown: number, all: number): string {
  return shown < all ? `, the first ${shown} of them` : ""
}

function routeLine(row: ComparedRoute): string {
  return `${delimited(row.route)} ${row.kind}: ${comparedText(row)}`
}

function pathLine(row: ComparedPath): string {
  const path = row.path.map(({ service, name }) => `${delimited(name)} of ${delimited(service)}`).join(" > ")
  const { a, b, difference } = row.perTrace
  return `${path}: ${comparedText(row)}, per trace ${rate(a)} -> ${rate(b)} (${verdictText(difference)})`
}

function rate(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function comparedText({ a, b, difference }: Compared): string {
  if (a === null || b === null || difference === null) {
    const { count = 0, p50 = 0 } = a ?? b ?? {}
    return `only in ${a === null ? "b" : "a"}, ${count}×, p50 ${milliseconds(p50 * 1e6)}`
  }
  const time = (name: "p50" | "p95") =>
    `${name} ${milliseconds(a[name] * 1e6)} -> ${milliseconds(b[name] * 1e6)} (${verdictText(difference[name])})`
  const failed = `failed ${a.failed} -> ${b.failed} (${verdictText(difference.failedShare)})`
  return `${a.count}× -> ${b.count}×, ${time("p50")}, ${time("p95")}, ${failed}`
}

function verdictText({ verdict }: Difference): string {
  return verdict.replace("_", " ")
}
