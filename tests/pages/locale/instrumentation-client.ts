import * as Sentry from "@sentry/nextjs"

const { sentryOptions } = globalThis as { sentryOptions?: Sentry.BrowserOptions }

// Tests choose whether the app has a `Sentry.init` of its own.
if (sentryOptions !== undefined) Sentry.init({ ...sentryOptions, integrations: [Sentry.replayIntegration()] })

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
