import type { EnvelopeFormatSetting } from "../envelope-format.ts"
import type { PageSettings } from "../page-settings.ts"
import type { SecretSegment } from "./secret-segments.ts"

/**
 * What `withPagespan` knows at build time. Next's `compiler.define` puts it into page and server bundles as one string. It holds
 * nothing of the environment, so that one build serves any DSN; except for an app that has no server.
 */
export interface BuildManifest {
  /** Page patterns in bracket form. */
  readonly routes: readonly string[]
  /** Patterns of route handlers. They name a page's requests. */
  readonly handlers: readonly string[]
  /** By route: where its path has secrets. Absent where no route has any. */
  readonly secrets?: Readonly<Record<string, readonly SecretSegment[]>>
  /** Next's `basePath`, or the empty string. */
  readonly basePath: string
  /** Path of the tunnel's route handler, where the app has one, as Next serves it without a redirect. */
  readonly tunnel: string | undefined
  /** Name of the app's package, the default of `OTEL_SERVICE_NAME`. */
  readonly serviceName: string
  /** Set where no page is traced before its visitor has agreed. */
  readonly requiresConsent?: true
  /** Set where Global Privacy Control does not count as an objection. */
  readonly ignoresPrivacyControl?: true
  /** Names of query parameters that may be recorded. Default: none. */
  readonly queryParameters?: readonly string[]
  /** Set where the router's prefetches have spans. */
  readonly recordsPrefetches?: true
  /** Other origins whose requests receive trace headers. */
  readonly traceOrigins: readonly string[]
  /** Patterns of the page's own paths whose requests receive none, where the app names any. */
  readonly pathsWithoutTraceHeaders?: readonly string[]
  /** Default of `PAGESPAN_SPANS`, where the app sets one. */
  readonly spans?: EnvelopeFormatSetting
  /** Next's `trailingSlash`, where it is set. */
  readonly trailingSlash?: true
  /** What a server would send to its pages, where the app has none (`output: "export"`): the environment of the build decides. */
  readonly settings?: PageSettings
  /** Set where Sentry's SDK is not installed: then pages receive no DSN. */
  readonly isWithoutSentry?: true
}

/** A path of the app as Next serves it without a redirect: `trailingSlash` applies to all paths but files. */
export function servedPath(path: string, trailingSlash: boolean | undefined): string {
  const bare = path.replace(/(?<!\/)\/+$/, "")
  return bare === "" || (trailingSlash === true && !/\.[^/]*$/.test(bare)) ? `${bare}/` : bare
}

declare const __PAGESPAN_BUILD__: string | undefined

export const BUILD_MANIFEST_DEFINE = "__PAGESPAN_BUILD__"

/** The manifest without a build. */
export const NO_FACTS: BuildManifest = {
  routes: [],
  handlers: [],
  basePath: "",
  tunnel: undefined,
  serviceName: "unknown_service",
  traceOrigins: [],
}

/** Without `withPagespan` in `next.config.ts` (a unit test, a script) no route is known. */
export function buildManifest(): BuildManifest {
  return typeof __PAGESPAN_BUILD__ === "string" ? (JSON.parse(__PAGESPAN_BUILD__) as BuildManifest) : NO_FACTS
}
