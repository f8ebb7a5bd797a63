import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import {
  applyScopeDataToEvent,
  type Breadcrumb,
  captureException,
  type Client,
  type DynamicSamplingContext,
  type Event,
  type EventHint,
  type EventProcessor,
  getClient,
  getCombinedScopeData,
  getCurrentScope,
  getGlobalScope,
  getIsolationScope,
  type Integration,
  isEnabled,
} from "@sentry/core"
import { safely } from "../../../protocol/safely.ts"
import { processState } from "../../process-state.ts"
import { publicAddress } from "../../routes/served-paths.ts"
import type { MaybePromise } from "../../sentry/error-processor.ts"
import { parseBaggage } from "../../sentry/sampling-context.ts"
import { settingsInDocument } from "../document.ts"
import { withoutSecretPaths } from "../roots/secret-path.ts"
import { captureOf, isMessage, pageCalls } from "./captured-by-hand.ts"
import type { ErrorMechanism } from "./page-errors.ts"
import type { SentryCalls } from "./sentry-calls.ts"
import { joinTraceHeaders } from "./trace-headers.ts"

/**
 * Joins what the app's own code does with Sentry's SDK in pages to the page's traces. Only a page whose app uses that SDK loads
 * this, and before the app's own code runs:
 *
 * - A client of the app's own (`Sentry.init`) traces nothing, and sends the errors of the page, with all that it adds to them:
 *   breadcrumbs, replay, session, release. Its events name the page's trace and route.
 * - Without one, what the app captures goes the way of the page's other errors, and a session and breadcrumbs are recorded once
 *   Pagespan's client is loaded.
 * - Every error and transaction of the page has the user, the tags and the contexts that the app has set.
 */
export function joinExistingClient(): void {
  // Sentry's SDK reads it in place of a constant of the bundler: it traces nothing.
  ;(globalThis as { __SENTRY_TRACING__?: boolean }).__SENTRY_TRACING__ ??= false
  safely(joinTraceHeaders)
  getGlobalScope().addEventProcessor(link)
  const calls = pageCalls()
  // `Sentry.init` replaces it, or has run before: a bundler decides the order.
  if (getClient() === undefined) getCurrentScope().setClient(calls.client)
  const own = () => (getClient() !== calls.client && isEnabled() ? getClient() : undefined)
  const addTo = (event: Event, hint: EventHint) =>
    safely(
      () => withScope(event, hint, own()),
      () => event,
    )
  processState<SentryCalls>("sentry-calls").value = {
    take: (thrown, mechanism) =>
      safely(
        () => isTaken(own(), thrown, mechanism),
        () => false,
      ),
    isMessage,
    connect: (client) => {
      client.addEventProcessor((event, hint) => (event.type === undefined ? event : addTo(event, hint)))
      // A client that is registered later finds the session of the page that is under way.
      if (getClient() === calls.client) calls.connect(client)
      return addTo
    },
  }
}

/** Links the events of the app's own client. Those of Pagespan's client are. */
const link: EventProcessor = (event) =>
  event.type === undefined
    ? safely(
        () => linked(event),
        () => event,
      )
    : event

/** Names the page's current trace, route and service in an event of the app's client. Without consent there is no trace. */
function linked(event: Event): Event {
  const active = trace.getActiveSpan()?.spanContext()
  // Where no span is active, the root is.
  const root = context.with(ROOT_CONTEXT, () => trace.getActiveSpan()) as ReadableSpan | undefined
  if (active === undefined || root === undefined) return event
  const { traceId: trace_id, spanId: span_id } = active
  const headers: { baggage?: string } = {}
  propagation.inject(context.active(), headers)
  // Until the page is idle, no propagator is registered: the header then names the trace alone.
  const known = parseBaggage(headers.baggage) ?? { trace_id, public_key: getClient()?.getDsn()?.publicKey }
  const samplingContext = { ...known } as DynamicSamplingContext
  // The client's integrations add what they know: a replay its id.
  getClient()?.emit("createDsc", samplingContext)
  const settings = settingsInDocument()
  const release = event.release ?? settings?.release
  return {
    ...event,
    ...(release === undefined ? {} : { release }),
    transaction: root.name,
    contexts: {
      ...(settings && { otel: { resource: { "service.name": settings.service } } }),
      ...event.contexts,
      trace: { trace_id, span_id },
    },
    sdkProcessingMetadata: { ...event.sdkProcessingMetadata, dynamicSamplingContext: samplingContext },
  }
}

/** Whether the app's client has seen an error by itself, or sends it now. */
function isTaken(own: Client | undefined, thrown: unknown, mechanism: ErrorMechanism): boolean {
  if (own === undefined) return false
  if (!mechanism.handled) return own.getIntegrationByName("GlobalHandlers") !== undefined
  captureException(thrown, { mechanism })
  return true
}

type ReplayIntegration = Integration & { getReplayId?(isSampled: boolean): string | undefined }

/** Sentry's integrations name the pages and the requests of a breadcrumb by their addresses, which may be relative. */
function withPublicPaths(breadcrumb: Breadcrumb): Breadcrumb {
  const { data } = breadcrumb
  if (data === undefined) return breadcrumb
  const addresses = ["from", "to", "url"].filter((key) => typeof data[key] === "string")
  return {
    ...breadcrumb,
    data: {
      ...data,
      ...Object.fromEntries(
        addresses.map((key) => [key, withoutSecretPaths(publicAddress(data[key].replace(/[?#].*/s, "")))]),
      ),
    },
  }
}

/** Adds what the app's scopes say: when it captured the event, or now for what it did not capture. */
function withScope(event: Event, hint: EventHint, own: Client | undefined): MaybePromise<Event | null> {
  const capture = captureOf(hint.originalException)
  const contexts = { ...event.contexts, ...capture?.event.contexts }
  const full = { ...event, ...capture?.event, contexts } as Event
  if (capture !== undefined)
    for (const { mechanism } of full.exception?.values ?? [])
      if (mechanism !== undefined && mechanism.type === "auto.react.error_boundary") mechanism.type = "generic"
  const scope = capture?.scope ?? getCombinedScopeData(getIsolationScope(), getCurrentScope())
  applyScopeDataToEvent(full, event.type === undefined ? scope : { ...scope, breadcrumbs: [] })
  if (full.breadcrumbs) full.breadcrumbs = full.breadcrumbs.map(withPublicPaths)
  const replayId = own?.getIntegrationByName<ReplayIntegration>("Replay")?.getReplayId?.(true)
  if (replayId !== undefined) full.tags = { ...full.tags, replayId }
  // `@sentry/nextjs` names its scope after its own pattern of the route, like `/items/:id`.
  if (event.transaction !== undefined) full.transaction = event.transaction
  return processed(full, hint, scope.eventProcessors)
}

const dropped = () => null

/**
 * Runs the event processors of the app's scopes, as Sentry's client does. One that fails drops the event: it may be what removes
 * personal data.
 */
function processed(
  event: Event,
  hint: EventHint,
  [next, ...rest]: readonly EventProcessor[],
): MaybePromise<Event | null> {
  if (next === undefined) return event
  const goOn = (result: Event | null) => (result ? processed(result, hint, rest) : null)
  return safely(() => {
    const result = next === link ? event : next(event, hint)
    return result !== null && "then" in result ? result.then(goOn, dropped) : goOn(result)
  }, dropped)
}
