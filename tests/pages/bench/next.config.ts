import { withPagespan } from "pagespan/next"
import { builtOnce } from "../built-once.ts"

// Sentry's tracer is measured beside Pagespan's here, and not joined to it.
export default withPagespan({ experimental: builtOnce }, { consent: "required", sentryInPages: false })
