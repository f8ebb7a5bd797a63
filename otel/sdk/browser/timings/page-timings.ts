import type { Tracer } from "@opentelemetry/api"
import { epochTime } from "../clock.ts"
import { isOwnScript } from "../own-scripts.ts"
import { publicUrl, recordedUrl } from "../requests/outgoing-request.ts"
import { ResponseEnds } from "../requests/traced-fetch.ts"
import { noteResponse } from "../requests/traced-request.ts"
import type { CurrentRoot } from "../roots/current-root.ts"
import type { PageRoot } from "../roots/page-root.ts"
import { documentTiming } from "../roots/pageload.ts"
import { watchTimings } from "./watch-timings.ts"

/** Adds children to a root that has its end, but is not closed. */
export type Recorder = (root: PageRoot, endedAt: number) => void

/** What the browser timed by itself, as children of the root in which it happened. */
export class PageTimings {
  readonly #tracer: Tracer
  readonly #current: CurrentRoot
  readonly #queryParameters: readonly string[]
  readonly #recorders: Recorder[] = []
  #ends: ResponseEnds | undefined

  /** @param queryParameters names of those that addresses may tell. */
  constructor(tracer: Tracer, current: CurrentRoot, queryParameters: readonly string[]) {
    this.#tracer = tracer
    this.#queryParameters = queryParameters
    this.#current = current
  }

  /** Answers whether the browser times resources. */
  watch(signal: AbortSignal): boolean {
    return watchTimings("resource", (entry) => this.#takeResource(entry as PerformanceResourceTiming), signal)
  }

  /** Has one more asked at the end of each root. */
  add(recorder: Recorder): void {
    this.#recorders.push(recorder)
  }

  /** @param areTimed whether the browser times resources. */
  endsOfResponses(areTimed: boolean): ResponseEnds {
    return (this.#ends ??= new ResponseEnds(areTimed))
  }

  /** Adds what is known only now that the root has its end. */
  record(root: PageRoot, endedAt: number): void {
    for (const recorder of this.#recorders) recorder(root, endedAt)
    const timing = documentTiming()
    if (root.kind === "pageload" && timing !== undefined)
      recordDocumentPhases(this.#tracer, this.#current, timing, endedAt)
  }

  #takeResource(entry: PerformanceResourceTiming): void {
    if (entry.initiatorType === "fetch") this.#ends?.take(entry)
    else if (!isOwnScript(entry)) recordResource(this.#tracer, this.#current, entry, this.#queryParameters)
  }
}

type Moment = keyof PerformanceNavigationTiming & string

/** From when to when. Phases follow each other; Sentry's own `request` overlaps its `response`. */
const PHASES: Readonly<Record<string, readonly [Moment, Moment]>> = {
  redirect: ["redirectStart", "redirectEnd"],
  connect: ["domainLookupStart", "connectEnd"],
  request: ["requestStart", "responseStart"],
  response: ["responseStart", "responseEnd"],
  dom: ["responseEnd", "domComplete"],
}

/** Makes a child span of each phase of the document that lies within its root. A phase that has not ended is left out. */
export function recordDocumentPhases(
  tracer: Tracer,
  current: CurrentRoot,
  entry: PerformanceNavigationTiming,
  endedAt: number,
): void {
  const rootStart = current.root?.startedAt ?? epochTime(0)
  for (const [phase, [from, to]] of Object.entries(PHASES)) {
    const startTime = epochTime(Number(entry[from]))
    const end = epochTime(Number(entry[to]))
    // A prerendered document had its phases before it became the visitor's.
    const isWithin = startTime >= rootStart && end <= endedAt + 1
    if (Number(entry[to]) === 0 || end <= startTime || !isWithin) continue
    const attributes = { "sentry.op": `browser.${phase}`, "sentry.origin": "auto.ui.pagespan" }
    tracer.startSpan(`document ${phase}`, { startTime, attributes }, current.context).end(end)
  }
}

/** Made by other means (requests), or sent ahead of need or behind the visitor's back. */
const NOT_WAITED_FOR: ReadonlySet<string> = new Set(["fetch", "xmlhttprequest", "beacon", "early-hints", "ping"])

/**
 * A child span of each resource that arrives while a root is open: scripts, styles, images, fonts. A repeated address
 * counts once.
 */
export function recordResource(
  tracer: Tracer,
  current: CurrentRoot,
  entry: PerformanceResourceTiming,
  queryParameters: readonly string[],
): void {
  const root = current.open
  const startTime = epochTime(entry.startTime)
  if (root === undefined || startTime < root.startedAt || NOT_WAITED_FOR.has(entry.initiatorType)) return
  if (!URL.canParse(entry.name)) return
  const url = new URL(entry.name)
  if (!url.protocol.startsWith("http") || isPreload(entry, url) || !root.isFirst(publicUrl(url))) return
  const attributes = {
    ...recordedUrl(url, queryParameters),
    "sentry.op": `resource.${entry.initiatorType || "other"}`,
    "sentry.origin": "auto.resource.pagespan",
    "http.response.size": entry.transferSize,
    "http.response.body.size": entry.encodedBodySize,
    "http.response.body.decoded_size": entry.decodedBodySize,
  }
  const name = url.origin === window.location.origin ? url.pathname : url.host
  const span = tracer.startSpan(name, { startTime, attributes }, current.context)
  noteResponse(span, entry.responseStatus)
  span.end(epochTime(entry.responseEnd))
}

/** A script that a `<link>` asks for after the document has loaded is for a page that nobody has asked for yet. */
function isPreload({ initiatorType, startTime }: PerformanceResourceTiming, { pathname }: URL): boolean {
  if (initiatorType !== "link" || pathname.endsWith(".css")) return false
  const [document] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[]
  return document !== undefined && document.loadEventStart > 0 && startTime > document.loadEventStart
}

/** The vitals as they stand, by their lower-case names. They settle after the pageload has ended, some when the page is left. */
export class PageVitals {
  readonly #values = new Map<string, number>()

  remember(name: string, value: number): void {
    this.#values.set(name, value)
  }

  /** Puts what is known by now on the pageload, from where it becomes Sentry's `measurements`. */
  describe(root: PageRoot): void {
    if (root.kind !== "pageload") return
    for (const [name, value] of this.#values) root.span.setAttribute(`browser.web_vital.${name}.value`, value)
  }
}
