import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { NextConfig } from "next"
import { nextProblem } from "./next-version.ts"
import { type Aliases, standInsForSentry } from "./sentry-packages.ts"
import type { EnvelopeFormatSetting } from "../envelope-format.ts"
import { HTML_TRACE_KEYS } from "../page-settings.ts"
import { BUILD_MANIFEST_DEFINE, type BuildManifest, servedPath } from "../routes/build-manifest.ts"
import { hasRouteHandler, scanRoutes } from "../routes/scan.ts"

/** All optional. */
export interface PagespanOptions {
  /** Directory that holds `app` or `src/app`. Default: the working directory, where Next runs. */
  projectDirectory?: string
  /** Module run in the page before hydration and before the tracer, for its side effects, such as setting filters. A package name or a path relative to the project. */
  pageModule?: string
  /** Path of the route handler that exports `POST` from `pagespan/tunnel`. Default: `/monitoring` where that route exists. */
  tunnelRoute?: string
  /** `required`: nothing is recorded, stored or sent before `grantConsent()`. Default: `granted`. */
  consent?: "granted" | "required"
  /** Whether a browser that sends Global Privacy Control is left alone until `grantConsent()`. Default: `true`. */
  honourPrivacyControl?: boolean
  /** Form of spans for Sentry, where `PAGESPAN_SPANS` names none: `transaction`, `stream`, or `auto`, a transaction where it has room for all children. Default: `auto`. */
  spans?: EnvelopeFormatSetting
  /** Names of query parameters that a page's requests and resources may tell, in `url.query`. Default: none. */
  queryParameters?: readonly string[]
  /** Whether prefetches of Next's router are recorded, as spans marked `http.request.prefetch` that no root waits for. Default: `false`. */
  recordPrefetches?: boolean
  /** Other origins, each like `https://api.example.com`, that requests carry the trace to, of pages and of the server. Default: none. */
  traceOrigins?: readonly string[]
}

const DEFAULT_TUNNEL_ROUTE = "/monitoring"
/** Leaves the debug log of Sentry's SDK, a kilobyte of texts, out of bundles. An app that debugs it defines it again. */
const WITHOUT_SENTRY_DEBUG = { __SENTRY_DEBUG__: false }
const PAGE_ENTRY = "pagespan/browser"

/** A configuration that depends on the phase, in either form that `next.config` may export. */
export type ConfigFunction<Result extends NextConfig | Promise<NextConfig> = NextConfig | Promise<NextConfig>> = (
  phase: string,
  context: { defaultConfig: NextConfig },
) => Result

type Wrapped<Result> = Result extends Promise<unknown> ? Promise<NextConfig> : NextConfig

/**
 * Wraps a Next configuration so that pages and server are traced: makes the route list, injects the page's tracer
 * before hydration, and lets the server put its trace context into dynamic HTML. What else the configuration sets is kept.
 *
 * @param nextConfig the app's own configuration, or a function that makes it, async or not; a function gives a function of
 *   the same kind. Default: `{}`.
 * @param options all optional, with the defaults that `PagespanOptions` documents.
 * @throws {Error} where an option cannot be used, such as one of `traceOrigins` that is no origin: the build ends with it.
 *
 * @example
 * export default withPagespan({ reactStrictMode: true }, { traceOrigins: ["https://api.example.com"] })
 *
 * @example
 * export default withPagespan(async (phase, { defaultConfig }) => ({ ...(await configOf(phase)) }))
 */
export function withPagespan<Result extends NextConfig | Promise<NextConfig>>(
  nextConfig: ConfigFunction<Result>,
  options?: PagespanOptions,
): ConfigFunction<Wrapped<Result>>
export function withPagespan(nextConfig?: NextConfig, options?: PagespanOptions): NextConfig
export function withPagespan(
  nextConfig: NextConfig | ConfigFunction,
  options?: PagespanOptions,
): NextConfig | ConfigFunction
export function withPagespan(
  nextConfig: NextConfig | ConfigFunction = {},
  options: PagespanOptions = {},
): NextConfig | ConfigFunction {
  if (typeof nextConfig !== "function") return traced(nextConfig, options)
  return (phase, context) => {
    const made = nextConfig(phase, context)
    return made instanceof Promise ? made.then((config) => traced(config, options)) : traced(made, options)
  }
}

function traced(nextConfig: NextConfig, options: PagespanOptions): NextConfig {
  const problem = nextProblem(options.projectDirectory ?? process.cwd())
  if (problem !== undefined) warn(problem)
  const standIns = standInsForSentry(options.projectDirectory ?? process.cwd(), warn)
  const facts = readFacts(nextConfig, options, standIns === undefined)
  return {
    ...nextConfig,
    ...(standIns === undefined ? {} : withAliases(nextConfig, standIns)),
    instrumentationClientInject: [
      ...(options.pageModule === undefined ? [] : [options.pageModule]),
      PAGE_ENTRY,
      ...(nextConfig.instrumentationClientInject ?? []),
    ],
    compiler: {
      ...nextConfig.compiler,
      define: {
        ...WITHOUT_SENTRY_DEBUG,
        ...nextConfig.compiler?.define,
        [BUILD_MANIFEST_DEFINE]: JSON.stringify(facts),
      },
    },
    experimental: {
      ...nextConfig.experimental,
      clientTraceMetadata: [...new Set([...(nextConfig.experimental?.clientTraceMetadata ?? []), ...HTML_TRACE_KEYS])],
    },
  }
}

/** For both of Next's bundlers. */
function withAliases(nextConfig: NextConfig, aliases: Aliases): Pick<NextConfig, "turbopack" | "webpack"> {
  const webpack: NonNullable<NextConfig["webpack"]> = (config, context) => {
    const configured = nextConfig.webpack?.(config, context) ?? config
    const resolve = { ...configured.resolve, alias: { ...configured.resolve?.alias, ...aliases } }
    return { ...configured, resolve }
  }
  const { turbopack } = nextConfig
  return { turbopack: { ...turbopack, resolveAlias: { ...aliases, ...turbopack?.resolveAlias } }, webpack }
}

function warn(line: string): void {
  // oxlint-disable-next-line no-console -- whoever builds reads what the build says
  console.warn(line)
}

function readFacts(nextConfig: NextConfig, options: PagespanOptions, hasSentry: boolean): BuildManifest {
  const directory = options.projectDirectory ?? process.cwd()
  const tunnel = options.tunnelRoute ?? DEFAULT_TUNNEL_ROUTE
  const hasTunnel = hasRouteHandler(directory, tunnel, nextConfig.pageExtensions)
  return {
    routes: scanRoutes(directory, "page", nextConfig.pageExtensions),
    handlers: scanRoutes(directory, "route", nextConfig.pageExtensions),
    basePath: nextConfig.basePath ?? "",
    tunnel: hasTunnel ? servedPath(tunnel, nextConfig.trailingSlash) : undefined,
    serviceName: packageName(directory),
    traceOrigins: (options.traceOrigins ?? []).map(originOf),
    ...(options.consent === "required" ? { requiresConsent: true } : {}),
    ...(options.honourPrivacyControl === false ? { ignoresPrivacyControl: true } : {}),
    ...(options.queryParameters?.length ? { queryParameters: options.queryParameters } : {}),
    ...(options.recordPrefetches === true ? { recordsPrefetches: true } : {}),
    ...(nextConfig.trailingSlash === true ? { trailingSlash: true } : {}),
    ...(options.spans === undefined ? {} : { spans: options.spans }),
    ...(hasSentry ? {} : { isWithoutSentry: true }),
  }
}

/** @throws {Error} on what is more than an origin: a path in it would promise a check that headers do not get. */
function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : undefined
  if (origin !== text.replace(/\/$/, ""))
    throw new Error(`traceOrigins: ${text} is no origin like https://api.example.com`)
  return origin
}

function packageName(directory: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { name?: unknown }
    return typeof manifest.name === "string" && manifest.name !== "" ? manifest.name : "unknown_service"
  } catch {
    // A deployed standalone build may have no package.json; the name was inlined when it was built.
    return "unknown_service"
  }
}
