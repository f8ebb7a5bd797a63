import { withPagespan } from "pagespan/next"

// Sentry's tracer is measured beside Pagespan's here, and not joined to it.
export default withPagespan({}, { consent: "required", sentryInPages: false })
