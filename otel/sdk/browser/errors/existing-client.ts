import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import {
  applyScopeDataToEvent,
  type Client,
  type Event,
  type EventHint,
  getClient,
  getCombinedScopeData,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  type Scope,
  type ScopeData,
  type SeverityLevel,
} from "@sentry/core"
import { processState } from "../../process-state.ts"
import { safely } from "../../../protocol/safely.ts"
import type { AddScopes } from "../../sentry/error-processor.ts"
import { parseBaggage } from "../../sentry/sampling-context.ts"
import { currentPage } from "../page.ts"

/**
 * Joins what the app's own code does with Sentry's SDK in pages to the page's traces. Only a page whose app uses that SDK loads
 * this, and before the app's own code runs:
 *
 * - A client of the app's own (`Sentry.init`) traces nothing, and its events name the page's trace and route.
 * - Without one, what the app captures goes the way of the page's other errors.
 * - Every error of the page has the user, the tags and the breadcrumbs that the app has set.
 */
export function joinExistingClient(): void {
  // Sentry's SDK reads it in place of a constant of the bundler: it traces nothing and writes no trace headers of its own.
  ;(globalThis as { __SENTRY_TRACING__?: boolean }).__SENTRY_TRACING__ ??= false
  getGlobalScope().addEventProcessor((event) =>
    event.type === undefined
      ? safely(
          () => linked(event),
          () => event,
        )
      : event,
  )
  // `Sentry.init` replaces it.
  getCurrentScope().setClient(pageCalls())
  // The chunk with the page's client reads it.
  processState<AddScopes>("error-scopes").value = (event, hint) =>
    safely(
      () => withScope(event, hint),
      () => event,
    )
}

/** Names the page's current trace and route in an event. Without consent there are none. */
function linked(event: Event): Event {
  const active = trace.getActiveSpan()?.spanContext()
  // Where no span is active, the root is.
  const root = context.with(ROOT_CONTEXT, () => trace.getActiveSpan()) as ReadableSpan | undefined
  if (active === undefined || root === undefined) return event
  const { traceId: trace_id, spanId: span_id } = active
  const headers: { baggage?: string } = {}
  propagation.inject(context.active(), headers)
  // Until the page is idle, no propagator is registered: the header then names the trace alone.
  const samplingContext = parseBaggage(headers.baggage) ?? { trace_id, public_key: getClient()?.getDsn()?.publicKey }
  return {
    ...event,
    transaction: root.name,
    contexts: { ...event.contexts, trace: { trace_id, span_id } },
    sdkProcessingMetadata: { ...event.sdkProcessingMetadata, dynamicSamplingContext: samplingContext },
  }
}

/** What the app has captured, until the page's client sends it. */
interface Capture {
  readonly scope: ScopeData
  /** Replaces the fields that the page's client read from the error. */
  readonly event: Event
}

/** By the error that stands for it. */
const captures = new WeakMap<object, Capture>()

function capture(thrown: unknown, event: Event, hint: EventHint | undefined, scope: Scope): void {
  // A primitive value cannot be looked up.
  const error = typeof thrown === "object" && thrown !== null ? thrown : new Error(String(thrown))
  const own = hint?.captureContext === undefined ? scope : scope.clone().update(hint.captureContext)
  const event_id = event.event_id ?? hint?.event_id
  captures.set(error, {
    scope: getCombinedScopeData(getIsolationScope(), own),
    event: event_id === undefined ? event : { ...event, event_id },
  })
  currentPage()?.reportError(error)
}

/** As much of a Sentry client as scopes and the SDK's functions call: it captures, and does nothing else. */
function pageCalls(): Client {
  const calls = {
    getOptions: () => ({}),
    captureException: (thrown: unknown, hint: EventHint | undefined, scope: Scope) => capture(thrown, {}, hint, scope),
    captureMessage: (message: string, level: SeverityLevel = "info", hint: EventHint | undefined, scope: Scope) =>
      capture(String(message), { message, level }, hint, scope),
    captureEvent: (event: Event, hint: EventHint | undefined, scope: Scope) =>
      capture(event.message ?? "", event, hint, scope),
    flush: async () => true,
    close: async () => true,
  }
  return new Proxy(calls, { get: (target, name) => Reflect.get(target, name) ?? nothing }) as unknown as Client
}

/** The SDK's other functions ask a client for hooks and integrations, and need none of them. */
function nothing(): void {}

/** Adds what the app's scopes say: when it captured the event, or now for an error that it did not capture. */
function withScope(event: Event, { originalException: thrown }: EventHint): Event {
  const capture = typeof thrown === "object" && thrown !== null ? captures.get(thrown) : undefined
  const full: Event = { ...event, ...capture?.event }
  if (capture?.event.message !== undefined) delete full.exception
  if (capture !== undefined)
    for (const { mechanism } of full.exception?.values ?? [])
      if (mechanism !== undefined && mechanism.type === "auto.react.error_boundary") mechanism.type = "generic"
  applyScopeDataToEvent(full, capture?.scope ?? getCombinedScopeData(getIsolationScope(), getCurrentScope()))
  // `@sentry/nextjs` names its scope after its own pattern of the route, like `/items/:id`.
  return event.transaction === undefined ? full : { ...full, transaction: event.transaction }
}
