import * as Sentry from "@sentry/nextjs"

const { earlyRequest, sentryOptions } = globalThis as { earlyRequest?: string; sentryOptions?: Sentry.BrowserOptions }

// A request before the router shows the page.
if (earlyRequest !== undefined) void fetch(earlyRequest)

// Tests choose whether the app has a `Sentry.init` of its own, and whether that one traces.
if (sentryOptions !== undefined) {
  const isTracing = sentryOptions.tracesSampleRate !== undefined
  const integrations = [Sentry.replayIntegration(), ...(isTracing ? [Sentry.browserTracingIntegration()] : [])]
  Sentry.init({ ...sentryOptions, integrations })
}

export const onRouterTransitionStart = Sentry.captureRouterTransitionStart
