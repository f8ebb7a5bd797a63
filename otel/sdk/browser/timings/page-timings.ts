import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import { documentTiming } from "../document.ts"
import { isOwnScript } from "../own-scripts.ts"
import { publicUrl, recordedUrl } from "../requests/outgoing-request.ts"
import { ResponseEnds } from "../requests/response-ends.ts"
import { setResponseStatus } from "../requests/traced-request.ts"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { startChild } from "../roots/child-span.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot } from "../roots/page-root.ts"
import { watchTimings } from "./watch-timings.ts"

interface PageTimingsOptions {
  readonly tracer: Tracer
  readonly current: CurrentRoot
  readonly matcher: RouteMatcher
  /** Names of query parameters that may be recorded. */
  readonly queryParameters: readonly string[]
  readonly signal: AbortSignal
}

type Moment = keyof PerformanceNavigationTiming & string

/** Begin and end of each phase of a document. Phases do not overlap; Sentry's own `request` overlaps its `response`. */
const PHASES: Readonly<Record<string, readonly [Moment, Moment]>> = {
  redirect: ["redirectStart", "redirectEnd"],
  connect: ["domainLookupStart", "connectEnd"],
  request: ["requestStart", "responseStart"],
  response: ["responseStart", "responseEnd"],
  dom: ["responseEnd", "domComplete"],
}

/** Initiators without a resource span: requests have spans of their own, and nobody waits for the rest. */
const EXCLUDED_INITIATORS = /^(fetch|xmlhttprequest|beacon|early-hints|ping)$/

/** Records what the browser itself times, as children of the root in which it happened. */
export class PageTimings {
  /** Latest values of web vitals by lower-case name. Some settle only when the page is left. */
  readonly vitals = new Map<string, number>()
  /** Called when a root has its end, but is not closed: children can still be added. */
  readonly recorders: ((root: PageRoot, endedAt: number) => void)[] = []
  readonly ends = new ResponseEnds()
  readonly watch = watchTimings
  readonly #options: PageTimingsOptions

  constructor(options: PageTimingsOptions) {
    const onResource = (entry: PerformanceEntry) => this.#onResource(entry as PerformanceResourceTiming)
    this.#options = options
    this.ends.isSupported = watchTimings("resource", onResource, options.signal)
  }

  /** Adds the children of a root that are known only at its end. */
  record(root: PageRoot, endedAt: number): void {
    for (const recorder of this.recorders) recorder(root, endedAt)
    if (root.kind !== "pageload") return
    this.#recordPhases(root, endedAt)
    // The bridge turns these attributes into Sentry's `measurements`.
    for (const [name, value] of this.vitals) root.span.setAttribute(`browser.web_vital.${name}.value`, value)
  }

  /** Records each phase of the document that lies within its root. The end of a phase that has not ended is 0. */
  #recordPhases(root: PageRoot, endedAt: number): void {
    const timing = documentTiming()
    if (timing === undefined) return
    for (const [phase, [from, to]] of Object.entries(PHASES)) {
      const start = epochTime(Number(timing[from]))
      const end = epochTime(Number(timing[to]))
      // The phases of a prerendered document precede its root.
      const isWithin = start >= root.startedAt && end <= endedAt + 1
      if (end > start && isWithin)
        startChild(this.#options, `document ${phase}`, start, `browser.${phase}`, "auto.ui.pagespan").end(end)
    }
  }

  /** Records each resource that arrives while a root is open: scripts, styles, images, fonts. A repeated URL counts once. */
  #onResource(entry: PerformanceResourceTiming): void {
    const { initiatorType } = entry
    if (initiatorType === "fetch") this.ends.onResource(entry)
    const root = this.#options.current.open
    const start = epochTime(entry.startTime)
    if (root === undefined || start < root.startedAt || EXCLUDED_INITIATORS.test(initiatorType)) return
    if (isOwnScript(entry) || !URL.canParse(entry.name)) return
    const url = new URL(entry.name)
    if (!url.protocol.startsWith("http") || isPreload(entry, url) || !root.isFirst(publicUrl(url))) return
    const { matcher, queryParameters } = this.#options
    const path = matcher.publicPath(url.pathname)
    const name = url.origin === window.location.origin ? path : url.host
    const span = startChild(
      this.#options,
      name,
      start,
      `resource.${initiatorType || "other"}`,
      "auto.resource.pagespan",
      {
        ...recordedUrl(url, path, queryParameters),
        "http.response.size": entry.transferSize,
        "http.response.body.size": entry.encodedBodySize,
        "http.response.body.decoded_size": entry.decodedBodySize,
      },
    )
    setResponseStatus(span, entry.responseStatus)
    span.end(epochTime(entry.responseEnd))
  }
}

/** Whether a `<link>` loads a script after the document has loaded: a preload of a page that the visitor has not opened. */
function isPreload({ initiatorType, startTime }: PerformanceResourceTiming, { pathname }: URL): boolean {
  const { loadEventStart = 0 } = documentTiming() ?? {}
  return initiatorType === "link" && !pathname.endsWith(".css") && loadEventStart > 0 && startTime > loadEventStart
}
