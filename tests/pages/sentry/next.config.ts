import { withSentryConfig } from "@sentry/nextjs/config"
import { builtForTests } from "../built-once.ts"

export default withSentryConfig(builtForTests, { silent: true, telemetry: false, sourcemaps: { disable: true } })
