import { withSentryConfig } from "@sentry/nextjs/config"
import type { NextConfig } from "next"
import { withPagespan } from "pagespan/next"
import { builtOnce } from "../built-once.ts"

/** One app with a different tracer in each build. `instrumentation.ts` starts it. */
const variant = process.env["PAGES_VARIANT"] ?? "bare"
const config: NextConfig = { distDir: `.next-${variant}`, experimental: builtOnce, env: { BENCH_TRACER: variant } }

function traced(): NextConfig {
  if (variant === "pagespan") return withPagespan(config)
  if (variant === "sentry") return withSentryConfig(config, { silent: true, telemetry: false })
  return config
}

export default traced()
