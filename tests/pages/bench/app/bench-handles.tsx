"use client"

import { trace } from "@opentelemetry/api"
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-web"
import { browserTracingIntegration, getClient, init, startInactiveSpan, startSpan } from "@sentry/browser"
import { grantConsent } from "pagespan/react"
import { useEffect } from "react"

const ATTRIBUTES = { one: "1", two: 2, three: true, four: "a longer text as attributes have it", five: 5.5 }
/** Below Sentry's limit of 1,000 children, and below the page's queue. */
const SPANS = 500

type PageHandle = { transitionStarted(url: string, type: string): void }
const page = () => (window as unknown as Record<symbol, PageHandle>)[Symbol.for("pagespan.page")]

function timed(work: () => void): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

let rounds = 0

/** Microseconds for the start and end of one span under an open root that is forwarded. */
function pagespanRound(): number {
  page()?.transitionStarted(`/round/${rounds++}`, "push")
  const tracer = trace.getTracer("bench")
  if (!tracer.startSpan("probe").isRecording()) throw new Error("Pagespan records nothing")
  const spent = timed(() => {
    for (let index = 0; index < SPANS; index++) tracer.startSpan("child", { attributes: ATTRIBUTES }).end()
  })
  return (spent / SPANS) * 1e3
}

const bareTracer = new BasicTracerProvider().getTracer("bare")

/** Microseconds for the same with only OpenTelemetry's SDK, without a span processor: the lower bound for a tracer on it. */
function sdkRound(): number {
  const spent = timed(() => {
    for (let index = 0; index < SPANS; index++) bareTracer.startSpan("child", { attributes: ATTRIBUTES }).end()
  })
  return (spent / SPANS) * 1e3
}

function startSentry(dsn: string): void {
  init({
    dsn,
    tracesSampleRate: 1,
    traceLifecycle: "static",
    integrations: [browserTracingIntegration({ instrumentPageLoad: false, instrumentNavigation: false })],
  })
}

function sentryRound(): number {
  if (!startInactiveSpan({ name: "probe", forceTransaction: true }).isRecording())
    throw new Error("Sentry records nothing")
  return startSpan({ name: "root", forceTransaction: true }, () => {
    const spent = timed(() => {
      for (let index = 0; index < SPANS; index++) startInactiveSpan({ name: "child", attributes: ATTRIBUTES }).end()
    })
    return (spent / SPANS) * 1e3
  })
}

/** Lets the benchmark drive both tracers in one page. */
export function BenchHandles() {
  useEffect(() => {
    const start = () => timed(grantConsent)
    Object.assign(window, {
      bench: { start, pagespanRound, sdkRound, startSentry, sentryRound, client: () => getClient() },
    })
  }, [])
  return null
}
