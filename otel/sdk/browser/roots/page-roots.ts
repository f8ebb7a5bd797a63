import type { Attributes, Context, Link, Span, Tracer } from "@opentelemetry/api"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { ROOT_CONTEXT, withSpan } from "../api/contexts.ts"
import { type Clock, epochTime, followSystemClock } from "../clock.ts"
import { documentTiming, type ServerTrace } from "../document.ts"
import { ATTR_HTTP_STATUS, ATTR_SESSION_ID } from "../semconv.ts"
import { startChild } from "./child-span.ts"
import type { CurrentRoot } from "./current-root.ts"
import { type EndReason, PageRoot, type RootSpan } from "./page-root.ts"
import {
  chooseRoute,
  isSamePath,
  isSamePlace,
  isSameTree,
  nameRoot,
  type Place,
  type RouteCommit,
  type ShownRoute,
  withoutSlash,
} from "./route-name.ts"

/** `sentry.origin` of spans below a navigation. */
const ORIGIN = "auto.navigation.pagespan"

interface PageRootsOptions {
  readonly tracer: Tracer
  readonly clock: Clock
  readonly matcher: RouteMatcher
  readonly current: CurrentRoot
  /** The id of the visitor's session, where there is one. */
  sessionId(): string | undefined
  beforeEnd(root: PageRoot, endedAt: number): void
  onEnded(): void
}

const DOCUMENT = "document"

/** Begins a root for each pageload and navigation, and names each by its route. */
export class PageRoots {
  /** What the router showed last. */
  shown: RouteCommit | undefined
  /** Where the router showed this page. An address that changes without the router shows the same page. */
  arrivedAt: Place | undefined
  readonly #options: PageRootsOptions
  /** The route of that page. */
  #route: ShownRoute | undefined
  /** Where the router is going, until it shows it. */
  #target: Place | undefined
  /** Paths that the visitor has left, or was redirected from. A page may still be committed after that. */
  readonly #behind = new Set<string>()
  #transition: Span | undefined

  constructor(options: PageRootsOptions) {
    this.#options = options
  }

  /** Where the router is going, or else where it is. */
  get destination(): Place | undefined {
    return this.#target ?? this.arrivedAt
  }

  /** Whether the router has left a page and not shown the next one. */
  get isUnderWay(): boolean {
    return this.#target !== undefined
  }

  /** Whether the open root is a navigation. */
  get isNavigating(): boolean {
    return this.#options.current.open?.kind === "navigation"
  }

  /** Begins the root of this document at its time origin, or at its activation when it was prerendered. */
  beginPageload(server: ServerTrace | undefined): void {
    const { activationStart = 0, responseStatus, name = "" } = documentTiming() ?? {}
    const place = new URL(name, window.location.href)
    const parent = server ? withSpan(ROOT_CONTEXT, { spanContext: () => server.parent }) : ROOT_CONTEXT
    const attributes = { [ATTR_HTTP_STATUS]: responseStatus || undefined }
    this.#begin("pageload", place, epochTime(activationStart), attributes, parent)
    this.#options.current.open?.hold(DOCUMENT)
    // Consent may come when the router shows another page already. A prerendered page was committed before it is shown.
    if (!isSamePath(place, window.location)) this.#target = undefined
    else if (this.shown) this.committed(this.shown, this.#options.clock.now())
  }

  /** The document and the resources that it loads have arrived. */
  documentLoaded(): void {
    const { open } = this.#options.current
    const { activationStart = 0, loadEventEnd = 0 } = documentTiming() ?? {}
    // A prerendered document was loaded before its root began, perhaps by another system time.
    if (open?.kind === "pageload") open.release(DOCUMENT, epochTime(Math.max(activationStart, loadEventEnd)))
  }

  /**
   * The router leaves for another page, which has a trace of its own, linked to the previous one.
   *
   * @param place as the browser has it.
   * @param type `push`, `replace` or `traverse` as Next calls them, or `bfcache`.
   * @param at on the page's timeline.
   */
  beginNavigation(place: Place, type: string, at: number): void {
    const { current } = this.#options
    const previous = current.root?.span
    const attributes = { "navigation.type": type, "navigation.from": previous?.name }
    const link = { "sentry.link.type": "previous_trace" }
    const links = previous && [{ context: previous.spanContext(), attributes: link }]
    current.open?.end("superseded")
    followSystemClock()
    const startedAt = epochTime(at)
    this.#behind.clear()
    this.#behind.add(withoutSlash(this.destination?.pathname))
    this.#begin("navigation", place, startedAt, attributes, ROOT_CONTEXT, links)
    this.#transition = startChild(this.#options, "transition", startedAt, "ui.transition", ORIGIN)
  }

  /** The page that the router was going to redirects: the visitor's wait continues, under the name of where it ends. */
  redirect(place: Place): void {
    const { clock, current } = this.#options
    const root = current.open
    if (!root) return
    const path = { "url.path": root.span.attributes["url.path"] }
    startChild(this.#options, "redirect", root.startedAt, "navigation.redirect", ORIGIN, path).end(clock.now())
    this.#behind.add(withoutSlash(this.#target?.pathname))
    this.#target = place
    if (typeof __PAGESPAN_SECRET_PATHS__ !== "undefined" && __PAGESPAN_SECRET_PATHS__)
      current.secretPath?.begin(root.span)
    this.#guessName(root.span, place)
  }

  /**
   * The router shows a page since `at`. What it shows decides the route; the name at the start was a guess.
   *
   * @returns whether it is the page that the router was going to.
   */
  committed(commit: RouteCommit, at: number): boolean {
    const { current, matcher } = this.#options
    const { pathname } = commit
    const { shown } = this
    this.shown = commit
    if (!this.isUnderWay || this.#isBehind(commit, shown)) return false
    const isSame = isSameTree(shown, commit)
    // The tree names a rewritten page. It says nothing more once only the query changes.
    if (!isSame || !isSamePath(commit, this.arrivedAt))
      this.#route = chooseRoute(matcher, pathname, commit.tree, isSame)
    this.#target = undefined
    this.arrivedAt = commit
    const { route, tree } = this.#route ?? {}
    if (typeof __PAGESPAN_SECRET_PATHS__ !== "undefined" && __PAGESPAN_SECRET_PATHS__)
      current.secretPath?.shown(pathname, matcher.publicPath(pathname, route))
    const root = current.open
    if (!root) return true
    nameRoot(root.span, route, pathname, matcher)
    if (tree) root.span.setAttribute("pagespan.tree_route", tree)
    this.#transition?.end(at)
    this.#transition = undefined
    root.committed(at)
    return true
  }

  end(reason: EndReason): void {
    this.#options.current.end(reason, this.#options.clock.now())
  }

  /** Whether the router still shows a page that the visitor has left: it renders that one again at times. */
  #isBehind(place: Place, shown: RouteCommit | undefined): boolean {
    const target = this.#target
    if (isSamePlace(place, target)) return false
    return isSamePlace(place, shown) || (this.#behind.has(withoutSlash(place.pathname)) && !isSamePath(place, target))
  }

  #guessName(span: RootSpan, place: Place): void {
    const { matcher } = this.#options
    const known = isSamePath(place, this.arrivedAt) ? this.#route?.route : undefined
    nameRoot(span, known ?? matcher.matchPath(place.pathname), place.pathname, matcher)
  }

  #begin(
    kind: PageRoot["kind"],
    place: Place,
    startedAt: number,
    attributes: Attributes,
    parent: Context,
    links: Link[] = [],
  ): void {
    const { tracer, current, sessionId } = this.#options
    const own = {
      "sentry.op": kind,
      "sentry.origin": `auto.${kind}.pagespan`,
      ...attributes,
      [ATTR_SESSION_ID]: sessionId(),
    }
    const span = tracer.startSpan(kind, { startTime: startedAt, attributes: own, links }, parent) as RootSpan
    this.#guessName(span, place)
    this.#transition = undefined
    current.become(new PageRoot({ ...this.#options, span, kind, startedAt }))
    this.#target = { pathname: place.pathname, search: place.search }
  }
}
