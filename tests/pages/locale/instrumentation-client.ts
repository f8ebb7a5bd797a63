import * as Sentry from "@sentry/nextjs"

const { sentryOptions } = globalThis as { sentryOptions?: Sentry.BrowserOptions }

// Tests choose whether the app has a `Sentry.init` of its own, and whether that one traces.
if (sentryOptions !== undefined) {
  const isTracing = sentryOptions.tracesSampleRate !== undefined
  const integrations = [Sentry.replayIntegration(), ...(isTracing ? [Sentry.browserTracingIntegration()] : [])]
  Sentry.init({ ...sentryOptions, integrations })
}

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
