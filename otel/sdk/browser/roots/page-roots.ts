import { type Attributes, type Link, ROOT_CONTEXT, type Span, trace, type Tracer } from "@opentelemetry/api"
import type { RouteMatcher } from "../../routes/matcher.ts"
import type { CurrentRoot } from "./current-root.ts"
import type { Clock } from "../clock.ts"
import type { EndReason } from "./page-root.ts"
import { PageRoot, type RootSpan } from "./page-root.ts"
import { nameRoot } from "./route-name.ts"
import { chooseRoute, type RouteCommit } from "./route-name.ts"
import { ATTR_HTTP_STATUS, ATTR_SESSION_ID } from "../semconv.ts"
import type { ServerTrace } from "../document.ts"

interface PageRootsOptions {
  readonly tracer: Tracer
  readonly clock: Clock
  readonly matcher: RouteMatcher
  readonly basePath: string
  readonly current: CurrentRoot
  /** The visitor's session at this moment, where there is one. */
  sessionId(): string | undefined
  beforeEnd(root: PageRoot, endedAt: number): void
  onEnded(): void
}

export interface Pageload {
  readonly path: string
  /** The page's time origin, or its activation when it was prerendered; milliseconds since the epoch. */
  readonly startedAt: number
  readonly server: ServerTrace | undefined
  readonly statusCode: number | undefined
}

export interface Navigation {
  /** With the base path, as the browser has it. */
  readonly path: string
  /** `push`, `replace` or `traverse` as Next calls them, or `bfcache`. */
  readonly type: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

const DOCUMENT = "document"

/** Begins one root for each pageload and navigation, and gives each the name of its route. */
export class PageRoots {
  readonly #options: PageRootsOptions
  #shown: RouteCommit | undefined
  /** The path of the page that is shown, as the router came to it: a path that changes by itself shows the same page. */
  #arrivedAt: string | undefined
  /** Where the router is going, until it shows it. */
  #target: string | undefined
  /** Paths that are behind: a page may be committed after the visitor left it, or after it sent the visitor on. */
  readonly #behind = new Set<string>()
  #transition: Span | undefined

  constructor(options: PageRootsOptions) {
    this.#options = options
  }

  /** The path that the router is going to, or the one that it came to; with the base path. */
  get destination(): string | undefined {
    return this.#target ?? this.#arrivedAt
  }

  /** Whether the router has set out and not arrived. */
  get isUnderWay(): boolean {
    return this.#target !== undefined
  }

  /** Whether the open root is a navigation. */
  get isNavigating(): boolean {
    return this.#options.current.open?.kind === "navigation"
  }

  /** What the router showed last. */
  get shown(): RouteCommit | undefined {
    return this.#shown
  }

  beginPageload({ path, startedAt, server, statusCode }: Pageload): void {
    const context = server === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, server.parent)
    const attributes = {
      "sentry.op": "pageload",
      "sentry.origin": "auto.pageload.pagespan",
      ...(statusCode ? { [ATTR_HTTP_STATUS]: statusCode } : {}),
    }
    const span = this.#options.tracer.startSpan("pageload", this.#start(startedAt, attributes), context)
    this.#become(span, "pageload", path, startedAt)
    this.#target = path
    this.#options.current.open?.hold(DOCUMENT)
  }

  /** The document and what it asked for have arrived. */
  documentLoaded(at: number): void {
    const { open } = this.#options.current
    if (open?.kind === "pageload") open.release(DOCUMENT, at)
  }

  /** The router sets out for another page: a trace of its own, linked to the one that the visitor leaves. */
  beginNavigation({ path, type, startedAt }: Navigation): void {
    const leaving = this.#options.current.root?.span
    const attributes = {
      "sentry.op": "navigation",
      "sentry.origin": "auto.navigation.pagespan",
      "navigation.type": type,
      ...(leaving === undefined ? {} : { "navigation.from": leaving.name }),
    }
    const links = leaving === undefined ? [] : [previousTrace(leaving)]
    const start = { ...this.#start(startedAt, attributes), links }
    const span = this.#options.tracer.startSpan("navigation", start, ROOT_CONTEXT)
    this.#behind.clear()
    this.#behind.add(withoutSlash(this.destination))
    this.#become(span, "navigation", path, startedAt)
    this.#target = path
    this.#transition = this.#child("transition", startedAt, { "sentry.op": "ui.transition" })
  }

  /** The page that the router set out for sent it on: the same wait of the visitor, under the name of where it ends. */
  redirect(path: string): void {
    const root = this.#options.current.open
    if (root === undefined) return
    const from = root.span.attributes["url.path"] ?? ""
    const now = this.#options.clock.now()
    this.#child("redirect", root.startedAt, { "sentry.op": "navigation.redirect", "url.path": from }).end(now)
    this.#behind.add(withoutSlash(this.#target))
    this.#target = path
    nameRoot(root.span, this.#options.matcher.matchPath(path), path)
  }

  /** The router shows a page, since `at`. What it shows is the truth about the route; the name given at the start was a guess. */
  committed(commit: RouteCommit, at: number): void {
    const isSameTree = this.#shown !== undefined && sameTree(this.#shown, commit)
    const path = `${this.#options.basePath}${commit.pathname}`
    this.#shown = commit
    const bare = withoutSlash(path)
    if (!this.isUnderWay || (this.#behind.has(bare) && bare !== withoutSlash(this.#target))) return
    this.#target = undefined
    this.#arrivedAt = path
    const root = this.#options.current.open
    if (root === undefined) return
    const { route, tree } = chooseRoute(this.#options.matcher, path, commit.segments, isSameTree)
    nameRoot(root.span, route, path)
    if (tree !== undefined) root.span.setAttribute("pagespan.tree_route", tree)
    this.#transition?.end(at)
    this.#transition = undefined
    root.committed(at)
  }

  end(reason: EndReason): void {
    this.#options.current.end(reason, this.#options.clock.now())
  }

  #start(startTime: number, attributes: Attributes) {
    const session = this.#options.sessionId()
    return {
      startTime,
      attributes: session === undefined ? attributes : { ...attributes, [ATTR_SESSION_ID]: session },
    }
  }

  #child(name: string, startTime: number, attributes: Attributes): Span {
    const given = { "sentry.origin": "auto.navigation.pagespan", ...attributes }
    return this.#options.tracer.startSpan(name, { startTime, attributes: given }, this.#options.current.context)
  }

  #become(span: Span, kind: PageRoot["kind"], path: string, startedAt: number): void {
    const { clock, matcher, current, beforeEnd, onEnded } = this.#options
    nameRoot(span, matcher.matchPath(path), path)
    this.#transition = undefined
    current.become(new PageRoot({ span: span as RootSpan, kind, startedAt, clock, beforeEnd, onEnded }))
  }
}

/** For comparing: with `trailingSlash` the router is told a path without the slash that it then shows. */
export function withoutSlash(path = ""): string {
  return path.replace(/\/$/, "")
}

function sameTree(a: RouteCommit, b: RouteCommit): boolean {
  return a.segments.join("\n") === b.segments.join("\n")
}

function previousTrace(span: Span): Link {
  return { context: span.spanContext(), attributes: { "sentry.link.type": "previous_trace" } }
}
