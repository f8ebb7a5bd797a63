import { sampleRate, type SdkConfig } from "../config.ts"
import type { PageSettings } from "../page-settings.ts"
import { type BuildManifest, servedPath } from "../routes/build-manifest.ts"
import { createRouteMatcher } from "../routes/matcher.ts"

const DEFAULT_OTLP_TRACES = "http://localhost:4318/v1/traces"

/** The settings that this server sends to its pages. */
export function pageSettings(config: SdkConfig, manifest: BuildManifest, isDevelopment: boolean): PageSettings {
  const tunnel = config.PAGESPAN_TUNNEL === "off" ? undefined : (tunnelOf(config, manifest) ?? manifest.tunnel)
  const rate = sampleRate(config)
  const service = config.OTEL_SERVICE_NAME ?? manifest.serviceName
  return {
    service: `${service}-browser`,
    environment: config.SENTRY_ENVIRONMENT,
    ...(config.SENTRY_RELEASE === undefined ? {} : { release: config.SENTRY_RELEASE }),
    ...(rate === 1 ? {} : { sampleRate: rate }),
    ...(config.PAGESPAN_SPANS === "auto" ? {} : { spans: config.PAGESPAN_SPANS }),
    ...(config.SENTRY_DSN === undefined || manifest.isWithoutSentry ? {} : { dsn: config.SENTRY_DSN.reveal() }),
    ...(tunnel === undefined ? {} : { tunnel: `${manifest.basePath}${tunnel}` }),
    ...(tunnel === undefined && isDevelopment ? { otlp: DEFAULT_OTLP_TRACES } : {}),
  }
}

/** The configured path. If it is a route handler of the app, in the form that Next serves without a redirect. */
function tunnelOf(
  { PAGESPAN_TUNNEL: path }: SdkConfig,
  { handlers, trailingSlash }: BuildManifest,
): string | undefined {
  const isHandler = path !== undefined && createRouteMatcher(handlers).matchPath(path) !== undefined
  return isHandler ? servedPath(path, trailingSlash) : path
}
