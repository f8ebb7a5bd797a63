import { withSentryConfig } from "@sentry/nextjs/config"
import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"
import { builtOnce } from "../built-once.ts"

const START_MARK = "./start-mark.ts"

/** Each SDK as its documentation sets it up. All start in modules that run before the page hydrates. */
const SETUPS: Readonly<Record<string, (config: NextConfig) => NextConfig>> = {
  bare: (config) => injecting(config, START_MARK),
  pagespan: (config) => withPagespan(config, { pageModule: START_MARK }),
  sentry: (config) =>
    withSentryConfig(withoutDebug(injecting(config, START_MARK, "./sentry/instrumentation-client.ts")), SENTRY),
  faro: (config) => injecting(config, START_MARK, "./faro/instrumentation-client.ts"),
  opentelemetry: (config) => injecting(config, START_MARK, "./opentelemetry/instrumentation-client.ts"),
}

/** Nothing of the build leaves this machine. */
const SENTRY = { silent: true, telemetry: false, sourcemaps: { disable: true } }

/** Removes the debug log of Sentry's SDK from the bundle, as `withPagespan` does. */
function withoutDebug(config: NextConfig): NextConfig {
  return { ...config, compiler: { define: { __SENTRY_DEBUG__: false } } }
}

function injecting(config: NextConfig, ...modules: readonly string[]): NextConfig {
  return { ...config, instrumentationClientInject: [...modules] }
}

const variant = process.env["PAGES_VARIANT"] ?? "bare"
const setUp = SETUPS[variant]
if (setUp === undefined) throw new Error(`PAGES_VARIANT=${variant} is none of ${Object.keys(SETUPS).join(", ")}`)

/** The same pages in several builds. A file that replaces another one in one of them, or that only one of them has, is named after it. */
export default setUp({
  distDir: `.next-${variant}`,
  experimental: builtOnce,
  pageExtensions: [`${variant}.ts`, `${variant}.tsx`, "tsx", "ts"],
  turbopack: { resolveExtensions: [`.${variant}.tsx`, ".tsx", ".ts", ".mjs", ".js", ".json"] },
})
