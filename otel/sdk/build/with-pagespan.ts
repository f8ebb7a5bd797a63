import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { NextConfig } from "next"
import { RELEASE_DEFINE } from "../../protocol/release-define.ts"
import type { BuildConstants } from "../build-constants.ts"
import { readSdkConfig } from "../config.ts"
import { deploymentDefaults } from "../deployment.ts"
import type { EnvelopeFormatSetting } from "../envelope-format.ts"
import { HTML_TRACE_KEYS } from "../page-settings.ts"
import { BUILD_MANIFEST_DEFINE, type BuildManifest, servedPath } from "../routes/build-manifest.ts"
import { hasPagesFolder, scanRoutes } from "../routes/scan.ts"
import { type SecretSegment, secretSegments } from "../routes/secret-segments.ts"
import { pageSettings } from "../server/page-settings.ts"
import { warnOnce } from "../server/warnings.ts"
import { withoutTunnelLines } from "./dev-log.ts"
import { rootOf } from "./next-root.ts"
import { injectedModules, nextProblems, type PageModules } from "./page-modules.ts"
import { proxyProblem } from "./proxy-matcher.ts"
import { releaseOfBuild } from "./release.ts"
import { type Aliases, oldSentryProblem, sentryAliases } from "./sentry-packages.ts"
import { withSourceMaps } from "./source-maps.ts"
import { isUsedInPages } from "./used-in-pages.ts"

/** Options of `withPagespan`. All are optional. */
export interface PagespanOptions {
  /** Directory that holds `app` or `src/app`. Default: the working directory, where Next runs. */
  projectDirectory?: string
  /** Module with side effects, such as setting filters, that pages run before hydration and before the tracer. A package name or a path relative to the project. Default: none. */
  pageModule?: string
  /** Path of the route handler that exports `POST` from `pagespan/tunnel`. With `output: "export"`, which has no route handlers: the URL of a tunnel elsewhere. Default: `/monitoring` if that route exists. */
  tunnelRoute?: string
  /** `required`: pages record, store and send nothing before `grantConsent()`. Default: `granted`. */
  consent?: "granted" | "required"
  /** Whether Global Privacy Control disables recording until `grantConsent()`. Default: `true`. */
  honourPrivacyControl?: boolean
  /** Format of spans for Sentry if `PAGESPAN_SPANS` is not set: `transaction`, `stream`, or `auto`: a transaction, and a stream if a root has more children than a transaction may have (1,000). Default: `auto`. */
  spans?: EnvelopeFormatSetting
  /** Names of query parameters that pages record in `url.query` of requests and resources. Default: none. */
  queryParameters?: readonly string[]
  /** Whether pages record prefetches of Next's router, as spans with `http.request.prefetch` that no root waits for. Default: `false`. */
  recordPrefetches?: boolean
  /** Whether pages use Sentry's SDK by themselves, with `Sentry.init` or `Sentry.captureException`: then its events join the page's traces. Default: whether a file of the app that runs in pages imports it. */
  sentryInPages?: boolean
  /** The release of this build, which Sentry and spans get if `SENTRY_RELEASE` is not set where it runs. `false`: none but `SENTRY_RELEASE`. Default: `SENTRY_RELEASE` of the build, else the commit that the CI system or the host names, else that of git; none in `next dev`. */
  release?: string | false
  /** Whether `next build` writes source maps of pages and server, with debug ids where the bundler makes them, for `pagespan sourcemaps`. Browsers can load those of pages until that command deletes them. Default: what `nextConfig` says. */
  sourceMaps?: boolean
  /** Other origins, each like `https://api.example.com`, to which pages and the server propagate the trace. Default: none. */
  traceOrigins?: readonly string[]
  /** Paths of the page's own origin to which pages send no trace headers, written as Next writes routes, like `/download` or `/files/[...path]`: those that the server [redirects to another origin](../troubleshooting.md#a-request-of-a-page-fails-with-a-cors-error-and-without-pagespan-it-does-not). Default: none. */
  pathsWithoutTraceHeaders?: readonly string[]
}

const DEFAULT_TUNNEL_ROUTE = "/monitoring"
/** Removes the debug log of Sentry's SDK, about one kilobyte, from bundles. An app can define it again. */
const WITHOUT_SENTRY_DEBUG = { __SENTRY_DEBUG__: "" }

/** The function form of `next.config`, synchronous or asynchronous. */
export type ConfigFunction<Result extends NextConfig | Promise<NextConfig> = NextConfig | Promise<NextConfig>> = (
  phase: string,
  context: { defaultConfig: NextConfig },
) => Result

type Wrapped<Result> = Result extends Promise<unknown> ? Promise<NextConfig> : NextConfig

/**
 * Wraps a Next configuration so that pages and server are traced: it inlines the list of routes, injects the page's tracer
 * before hydration, and lets the server write its trace context into dynamic HTML. All other settings stay as they are.
 *
 * @param nextConfig the app's configuration, or a function that returns it, synchronously or as a promise. Default: `{}`.
 * @param options see `PagespanOptions` for the defaults.
 * @returns a configuration, or a function of the same kind if `nextConfig` is a function.
 * @throws {Error} for an invalid option, such as an entry of `traceOrigins` that is no origin. The build fails with it.
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
  if (typeof nextConfig !== "function") return withTracing(nextConfig, options)
  return (phase, context) => {
    const config = nextConfig(phase, context)
    return isThenable(config)
      ? Promise.resolve(config).then((resolved) => withTracing(resolved, options))
      : withTracing(config, options)
  }
}

/** Next awaits any thenable, and a wrapper's promise may come from another realm. */
function isThenable(config: NextConfig | PromiseLike<NextConfig>): config is PromiseLike<NextConfig> {
  return typeof (config as Partial<PromiseLike<NextConfig>>).then === "function"
}

function withTracing(given: NextConfig, options: PagespanOptions): NextConfig {
  const directory = options.projectDirectory ?? process.cwd()
  const nextConfig = options.sourceMaps === true ? withSourceMaps(given, directory) : given
  const aliases = sentryAliases(directory, rootOf(directory, nextConfig), (line) => warnOfBuild("packages", line))
  const release = releaseOfBuild(options)
  const manifest = withSettings(
    nextConfig,
    options,
    createManifest(nextConfig, options, aliases === undefined),
    release,
  )
  const constants = constantsOf(nextConfig, options, manifest)
  const modules = { pageModule: options.pageModule, isSentryInPages: constants.__PAGESPAN_SENTRY_IN_PAGES__ }
  const injected = injectedModules(directory, modules)
  warnOfExport(manifest)
  warnOfProxy(nextConfig, options, manifest)
  warnOfVersions(directory, modules, manifest)
  return {
    ...nextConfig,
    ...(aliases === undefined ? {} : withAliases(nextConfig, aliases)),
    ...(injected && {
      instrumentationClientInject: [...injected, ...(nextConfig.instrumentationClientInject ?? [])],
    }),
    ...withoutTunnelLines(nextConfig, manifest),
    compiler: {
      ...nextConfig.compiler,
      define: {
        ...WITHOUT_SENTRY_DEBUG,
        ...nextConfig.compiler?.define,
        [BUILD_MANIFEST_DEFINE]: JSON.stringify(manifest),
        ...asTexts({ ...constants, ...(release === undefined ? {} : { [RELEASE_DEFINE]: release }) }),
      },
    },
    experimental: {
      ...nextConfig.experimental,
      clientTraceMetadata: [...new Set([...(nextConfig.experimental?.clientTraceMetadata ?? []), ...HTML_TRACE_KEYS])],
    },
  }
}

/** Warns once for each build and each `next dev`. Next loads the configuration in its workers too, which warn of nothing. */
function warnOfBuild(subject: string, line: string): void {
  if (!isNextWorker()) warnOnce(subject, line)
}

function isNextWorker(): boolean {
  return process.env["IS_NEXT_WORKER"] === "true"
}

/** An exported app has no server that gives its pages a destination: the build must name one. */
function warnOfExport({ settings }: BuildManifest): void {
  if (settings === undefined || settings.dsn !== undefined || settings.tunnel !== undefined) return
  warnOfBuild(
    "export",
    `output: "export" has no server: set SENTRY_DSN for the build, or tunnelRoute to the URL of a tunnel, or pages send nothing`,
  )
}

/** Constants as `compiler.define` takes them in each version: before 16.2 it warns of a boolean. An empty text is false too. */
function asTexts(constants: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(constants).map(([name, value]) => [name, value === false ? "" : String(value)]),
  )
}

/** The configuration of a deployed server, which may lack the app's sources, has no routes. */
function warnOfVersions(directory: string, modules: PageModules, { routes }: BuildManifest): void {
  if (routes.length === 0 || isNextWorker()) return
  for (const problem of [...nextProblems(directory, modules), oldSentryProblem(directory)])
    if (problem !== undefined) warnOnce(problem, problem)
}

function warnOfProxy(
  nextConfig: NextConfig,
  { projectDirectory, tunnelRoute }: PagespanOptions,
  { tunnel }: BuildManifest,
) {
  if (tunnel === undefined || isNextWorker()) return
  const problem = proxyProblem(
    projectDirectory ?? process.cwd(),
    tunnelRoute ?? DEFAULT_TUNNEL_ROUTE,
    nextConfig.pageExtensions,
  )
  if (problem !== undefined) warnOnce("proxy", problem)
}

function constantsOf(
  { output }: NextConfig,
  options: PagespanOptions,
  { secrets, isWithoutSentry }: BuildManifest,
): BuildConstants {
  const directory = options.projectDirectory ?? process.cwd()
  return {
    __PAGESPAN_SENTRY_IN_PAGES__: isWithoutSentry !== true && usesSentry(options),
    __PAGESPAN_API_IN_PAGES__: isUsedInPages("opentelemetry", directory),
    __PAGESPAN_PAGES_ROUTER__: hasPagesFolder(directory),
    __PAGESPAN_EXPORTED__: output === "export",
    __PAGESPAN_SECRET_PATHS__: secrets !== undefined,
  }
}

function usesSentry({ sentryInPages, projectDirectory }: PagespanOptions): boolean {
  return sentryInPages ?? isUsedInPages("sentry", projectDirectory ?? process.cwd())
}

/** Aliases for both of Next's bundlers. */
function withAliases(nextConfig: NextConfig, aliases: Aliases): Pick<NextConfig, "turbopack" | "webpack"> {
  const webpack: NonNullable<NextConfig["webpack"]> = (config, context) => {
    const configured = nextConfig.webpack?.(config, context) ?? config
    const resolve = { ...configured.resolve, alias: { ...configured.resolve?.alias, ...aliases } }
    return { ...configured, resolve }
  }
  const { turbopack } = nextConfig
  return { turbopack: { ...turbopack, resolveAlias: { ...aliases, ...turbopack?.resolveAlias } }, webpack }
}

function createManifest(nextConfig: NextConfig, options: PagespanOptions, hasSentry: boolean): BuildManifest {
  const directory = options.projectDirectory ?? process.cwd()
  const tunnel = options.tunnelRoute ?? DEFAULT_TUNNEL_ROUTE
  const { basePath = "", pageExtensions } = nextConfig
  const routes = scanRoutes(directory, "page", pageExtensions)
  const handlers = scanRoutes(directory, "route", pageExtensions)
  const hasTunnel = handlers.includes(servedPath(tunnel, false))
  const secrets = secretsOf([...routes, ...handlers], basePath)
  return {
    routes,
    handlers,
    ...(secrets.length === 0 ? {} : { secrets: Object.fromEntries(secrets) }),
    basePath,
    tunnel: hasTunnel ? servedPath(tunnel, nextConfig.trailingSlash) : undefined,
    serviceName: packageName(directory),
    traceOrigins: (options.traceOrigins ?? []).map(originOf),
    ...(options.consent === "required" ? { requiresConsent: true } : {}),
    ...(options.honourPrivacyControl === false ? { ignoresPrivacyControl: true } : {}),
    ...(options.queryParameters?.length ? { queryParameters: options.queryParameters } : {}),
    ...(options.pathsWithoutTraceHeaders?.length
      ? { pathsWithoutTraceHeaders: options.pathsWithoutTraceHeaders.map(pathOf) }
      : {}),
    ...(options.recordPrefetches === true ? { recordsPrefetches: true } : {}),
    ...(nextConfig.trailingSlash === true ? { trailingSlash: true } : {}),
    ...(options.spans === undefined ? {} : { spans: options.spans }),
    ...(hasSentry ? {} : { isWithoutSentry: true }),
  }
}

function secretsOf(routes: readonly string[], basePath: string): [route: string, segments: readonly SecretSegment[]][] {
  const found = routes.map((route): [string, readonly SecretSegment[]] => [route, secretSegments(route, basePath)])
  return found.filter(([, segments]) => segments.length > 0)
}

/** Adds what no server will send to the pages of an app that is exported as files. */
function withSettings(
  { output }: NextConfig,
  { tunnelRoute = "" }: PagespanOptions,
  made: BuildManifest,
  release: string | false | undefined,
): BuildManifest {
  if (output !== "export") return made
  const manifest = { ...made, tunnel: undefined }
  const { config, problems } = readSdkConfig(process.env, {
    ...deploymentDefaults(process.env, release),
    ...(manifest.spans === undefined ? {} : { PAGESPAN_SPANS: manifest.spans }),
  })
  for (const [variable, line] of problems) warnOfBuild(variable, line)
  const settings = pageSettings(config, manifest, false)
  return { ...manifest, settings: { ...settings, ...(URL.canParse(tunnelRoute) ? { tunnel: tunnelRoute } : {}) } }
}

/** @throws {Error} for anything but an origin: a path would suggest a check that propagation does not make. */
function originOf(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : undefined
  if (origin !== text.replace(/\/$/, ""))
    throw new Error(`traceOrigins: ${text} is not an origin like https://api.example.com`)
  return origin
}

/** @throws {Error} for what no URL's path has: the notations of other routers would match nothing. */
function pathOf(text: string): string {
  if (!/^\/(?!.*(?:[?#*]|\/:))/.test(text))
    throw new Error(`pathsWithoutTraceHeaders: ${text} is not a path like /download or /files/[...path]`)
  return text
}

function packageName(directory: string): string {
  try {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as { name?: unknown }
    return typeof manifest.name === "string" && manifest.name !== "" ? manifest.name : "unknown_service"
  } catch {
    // A deployed standalone build may have no package.json. The build has inlined the name.
    return "unknown_service"
  }
}
