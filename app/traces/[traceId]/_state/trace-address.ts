import type { Finding } from "#otel/inspector/queries/trace/findings/findings.ts"
import { isWhole, type TimeWindow } from "./time-window.ts"

export const TRACE_VIEWS = ["tree", "flame", "logs"] as const
export type TraceViewName = (typeof TRACE_VIEWS)[number]

/** State of the screen that its URL holds. */
export interface TraceAddress {
  /** Id of the selected span. */
  readonly span: string | undefined
  /** Visible time range; `undefined` shows the whole trace. */
  readonly zoom: TimeWindow | undefined
  readonly search: string
  /** The selected finding, whose spans are search results: see `findingKey`. A search replaces it. */
  readonly finding: string | undefined
  /** Whether the search hides other spans. */
  readonly hides: boolean
  readonly view: TraceViewName
  /** Whether the critical path is shown. */
  readonly path: boolean
}

/** Longest search in characters, which keeps the URL short. */
const SEARCH_LIMIT = 1_000
const ZOOM = /^(\d{1,16})-(\d{1,16})$/

/** Never throws. Invalid parameters are ignored. */
export function readAddress(parameters: Pick<URLSearchParams, "get">): TraceAddress {
  const [, from, to] = ZOOM.exec(parameters.get("zoom") ?? "") ?? []
  const zoom = { from: Number(from), to: Number(to) }
  return {
    span: parameters.get("span")?.toLowerCase() || undefined,
    zoom: zoom.to > zoom.from ? zoom : undefined,
    search: parameters.get("q")?.slice(0, SEARCH_LIMIT) ?? "",
    finding: parameters.get("finding")?.slice(0, SEARCH_LIMIT) || undefined,
    hides: parameters.get("only") === "1",
    view: TRACE_VIEWS.find((view) => view === parameters.get("view")) ?? "tree",
    path: parameters.get("path") === "1",
  }
}

/** The query string with its `?`; empty for the initial state. */
export function writeAddress({ span, zoom, search, finding, hides, view, path }: TraceAddress): string {
  const parameters = new URLSearchParams()
  if (span !== undefined) parameters.set("span", span)
  if (zoom !== undefined) parameters.set("zoom", `${Math.floor(zoom.from)}-${Math.ceil(zoom.to)}`)
  if (search !== "") parameters.set("q", search)
  else if (finding !== undefined) parameters.set("finding", finding)
  if (hides && (search !== "" || finding !== undefined)) parameters.set("only", "1")
  if (view !== "tree") parameters.set("view", view)
  if (path) parameters.set("path", "1")
  const text = parameters.toString()
  return text === "" ? "" : `?${text}`
}

/** A finding in the URL: its kind and its first span. It is found again after a refresh. */
export function findingKey({ kind, spanIds }: Pick<Finding, "kind" | "spanIds">): string {
  return `${kind}-${spanIds[0] ?? ""}`
}

/** The time range that an address selects in a trace of this duration. */
export function windowOf({ zoom }: TraceAddress, duration: number): TimeWindow {
  const whole = { from: 0, to: Math.max(1, duration) }
  if (zoom === undefined || zoom.from >= whole.to) return whole
  const window = { from: zoom.from, to: Math.min(zoom.to, whole.to) }
  return isWhole(window, duration) ? whole : window
}
