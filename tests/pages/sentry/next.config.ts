import { withSentryConfig } from "@sentry/nextjs/config"
import { builtOnce } from "../built-once.ts"

export default withSentryConfig(
  { experimental: builtOnce },
  { silent: true, telemetry: false, sourcemaps: { disable: true } },
)
