import * as Sentry from "@sentry/nextjs"

const { sentryDsn } = globalThis as { sentryDsn?: string }

Sentry.init({ dsn: sentryDsn, tracesSampleRate: 1 })

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
