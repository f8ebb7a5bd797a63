import { captureRouterTransitionStart, init } from "@sentry/nextjs"

// The tunnel takes the place of the DSN's host.
init({ dsn: "https://publickey@sentry.invalid/42", tunnel: "/telemetry", tracesSampleRate: 1 })

export const onRouterTransitionStart = captureRouterTransitionStart
