import type { Client, ErrorEvent, Event, EventHint } from "@sentry/core"
import type { DropReason } from "../../protocol/records/drop.ts"
import { redactAddress } from "../../protocol/redact.ts"
import { defaultErrorFilters } from "../default-error-filters.ts"
import type { ErrorFacts, Filters } from "../filters.ts"
import { safely } from "../../protocol/safely.ts"
import { droppingFilter, type FilterFailed } from "./apply-filters.ts"
import { expectDrop } from "./client-reports.ts"
import { ERROR_DIGEST } from "./error-digest.ts"
import { brokenRule, errorFacts } from "./error-rules.ts"
import type { SamplingContext, TracedSpan } from "./sampling-context.ts"

/** Where an error occurred, as far as the tracer knows. */
export interface ErrorTrace {
  readonly span: TracedSpan
  readonly samplingContext: SamplingContext | undefined
  /** Set on an event that lacks them: the route, and the request that the root handles. */
  readonly defaults?: Pick<Event, "transaction" | "request"> | undefined
}

interface ErrorProcessorOptions {
  readonly side: ErrorFacts["side"]
  /** The name of the service. */
  readonly service: string
  filters(): Partial<Filters>
  /** Adds what the app has set with Sentry's SDK, before `beforeSend`. Default: the client has added it. */
  readonly addScopes?: ((event: Event, hint: EventHint) => MaybePromise<Event | null>) | undefined
  /** The span that the error belongs to. A hint may carry a span from the time when the error was thrown. */
  traceOf(hint: EventHint): ErrorTrace | undefined
  drop(reason: DropReason, sample: string): void
  readonly filterFailed: FilterFailed
}

/**
 * Adds the event processor that links every error event to its trace and applies filters, rules and `beforeSend`. A dropped
 * event is counted once, under its own reason.
 */
export function addErrorProcessor(client: Client, options: ErrorProcessorOptions): void {
  client.addEventProcessor((event, hint) => {
    if (event.type !== undefined) return event
    const filters = options.filters()
    const facts = errorFacts(event, hint.originalException, options.side)
    const drop: Drop = (reason, name) => {
      expectDrop(client)
      options.drop(reason, redactAddress(`${name}: ${facts.type} ${facts.message}`))
      return null
    }
    const filter = droppingFilter(filters.errors ?? defaultErrorFilters, facts, options.filterFailed)
    if (filter !== undefined) return drop(filter.reason, filter.name)
    const rule = brokenRule(event, filters, options.filterFailed)
    if (rule !== undefined) return drop("ignored", rule)
    const named = withService(withDigest(event, facts.digest), options.service)
    const linked = linkToTrace(named, options.traceOf(hint))
    const finish = (full: Event | null) =>
      full === null || filters.beforeSend === undefined ? full : runBeforeSend(filters, full as ErrorEvent, hint, drop)
    const full = options.addScopes ? options.addScopes(linked, hint) : linked
    return isPromise(full) ? full.then(finish) : finish(full)
  })
}

type Drop = (reason: DropReason, name: string) => null
export type MaybePromise<Value> = Value | PromiseLike<Value>

/**
 * Runs the app's `beforeSend`. The result is asynchronous only if the callback is: a page that unloads cannot wait for
 * another turn. A callback that fails drops the event, as in Sentry: it may be what removes secrets.
 */
function runBeforeSend(
  filters: Partial<Filters>,
  event: ErrorEvent,
  hint: EventHint,
  drop: Drop,
): MaybePromise<ErrorEvent | null> {
  const accept = (result: unknown) => {
    if (result === null || result === undefined) return drop("before_send", "beforeSend")
    return typeof result === "object" ? (result as ErrorEvent) : fail()
  }
  // The callback's own error must not become an event: the event would end up here again.
  const fail = () => drop("callback_error", "beforeSend")
  return safely<MaybePromise<ErrorEvent | null>>(() => {
    const result = filters.beforeSend?.(event, hint)
    return isPromise(result) ? result.then(accept, fail) : accept(result)
  }, fail)
}

function isPromise<Value>(result: MaybePromise<Value>): result is PromiseLike<Value> {
  return typeof (result as Partial<PromiseLike<Value>> | null)?.then === "function"
}

/** Sentry's own integration sets fields that it does not know to `undefined`. */
function withoutUndefined(request: Event["request"] = {}): Event["request"] {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}

/** Tags the event with the digest that the visitor sees in place of the error, so that you can search for it. */
function withDigest(event: Event, digest: string | undefined): Event {
  return digest === undefined ? event : { ...event, tags: { [ERROR_DIGEST]: digest, ...event.tags } }
}

/** A Sentry event has no field for the service: names it as a transaction does, which has OpenTelemetry's resource. */
function withService(event: Event, service: string): Event {
  return { ...event, contexts: { otel: { resource: { "service.name": service } }, ...event.contexts } }
}

function linkToTrace(event: Event, trace: ErrorTrace | undefined): Event {
  if (trace === undefined) return event
  const { traceId: trace_id, spanId: span_id } = trace.span.spanContext()
  const parent_span_id = trace.span.parentSpanContext?.spanId
  const { defaults } = trace
  const request = defaults?.request
  return {
    ...defaults,
    ...event,
    ...(request && { request: { ...request, ...withoutUndefined(event.request) } }),
    contexts: {
      ...event.contexts,
      trace: { trace_id, span_id, ...(parent_span_id === undefined ? {} : { parent_span_id }) },
    },
    sdkProcessingMetadata: {
      ...event.sdkProcessingMetadata,
      ...(trace.samplingContext && { dynamicSamplingContext: trace.samplingContext }),
    },
  }
}
