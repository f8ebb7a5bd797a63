import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { Client, ErrorEvent, Event, EventHint } from "@sentry/core"
import type { DropReason } from "../../protocol/records/drop.ts"
import { redactAddress } from "../../protocol/redact.ts"
import type { ErrorFacts, Filters } from "../filters.ts"
import { safely } from "../safely.ts"
import { droppingFilter, type FilterFailed } from "./apply-filters.ts"
import { expectDrop } from "./client-reports.ts"
import { ERROR_DIGEST } from "./error-digest.ts"
import { brokenRule, errorFacts } from "./error-rules.ts"
import type { SamplingContext } from "./sampling-context.ts"

/** Where an error happened, as far as the tracer knows. */
export interface ErrorTrace {
  readonly span: ReadableSpan
  readonly samplingContext: SamplingContext | undefined
  /** What stands on an event that does not say it by itself: the route, and the request that the root answers. */
  readonly defaults?: Pick<Event, "transaction" | "request"> | undefined
}

interface ErrorProcessorOptions {
  readonly side: ErrorFacts["side"]
  filters(): Filters
  /** The span that the error belongs to; a hint may carry one that was kept from an earlier moment. */
  traceOf(hint: EventHint): ErrorTrace | undefined
  lost(reason: DropReason, sample: string): void
  readonly filterFailed: FilterFailed
}

/**
 * Puts every error event on the trace that it happened in, and drops what filters, rules and `beforeSend` name. What is
 * dropped is counted once, under its own reason.
 */
export function addErrorProcessor(client: Client, options: ErrorProcessorOptions): void {
  client.addEventProcessor((event, hint) => {
    if (event.type !== undefined) return event
    const filters = options.filters()
    const facts = errorFacts(event, hint.originalException, options.side)
    const drop: Drop = (reason, name) => {
      expectDrop(client)
      options.lost(reason, redactAddress(`${name}: ${facts.type} ${facts.message}`))
      return null
    }
    const filter = droppingFilter(filters.errors, facts, options.filterFailed)
    if (filter !== undefined) return drop(filter.reason, filter.name)
    const rule = brokenRule(event, filters, options.filterFailed)
    if (rule !== undefined) return drop("ignored", rule)
    const placed = placeOnTrace(withDigest(event, facts.digest), options.traceOf(hint))
    return filters.beforeSend === undefined ? placed : askUser(filters, placed as ErrorEvent, hint, drop)
  })
}

type Drop = (reason: DropReason, name: string) => null

/**
 * Only asynchronous where the user's callback is: an error while a page is left must not wait for another turn. A callback
 * that fails drops the event, as in Sentry: it may be what takes secrets out.
 */
function askUser(
  filters: Filters,
  event: ErrorEvent,
  hint: EventHint,
  drop: Drop,
): ErrorEvent | null | PromiseLike<ErrorEvent | null> {
  const take = (answer: ErrorEvent | null | undefined) => {
    if (answer === null || answer === undefined) return drop("before_send", "beforeSend")
    return typeof answer === "object" ? answer : fail()
  }
  // An error of the callback must not become an event, which would come by here again.
  const fail = () => drop("callback_error", "beforeSend")
  return safely<ErrorEvent | null | PromiseLike<ErrorEvent | null>>(() => {
    const answer = filters.beforeSend?.(event, hint)
    return isPromise(answer) ? answer.then(take, fail) : take(answer)
  }, fail)
}

function isPromise<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return typeof (answer as Partial<PromiseLike<T>> | null)?.then === "function"
}

/** Sentry's own integration names what it does not know. */
function said(request: Event["request"] = {}): Event["request"] {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}

/** What the visitor was shown in place of the error, to be searched for. */
function withDigest(event: Event, digest: string | undefined): Event {
  return digest === undefined ? event : { ...event, tags: { [ERROR_DIGEST]: digest, ...event.tags } }
}

function placeOnTrace(event: Event, trace: ErrorTrace | undefined): Event {
  if (trace === undefined) return event
  const { traceId: trace_id, spanId: span_id } = trace.span.spanContext()
  const parent_span_id = trace.span.parentSpanContext?.spanId
  const { transaction, request } = trace.defaults ?? {}
  return {
    ...event,
    ...(event.transaction === undefined && transaction !== undefined ? { transaction } : {}),
    ...(request === undefined ? {} : { request: { ...request, ...said(event.request) } }),
    contexts: {
      ...event.contexts,
      trace: { trace_id, span_id, ...(parent_span_id === undefined ? {} : { parent_span_id }) },
    },
    sdkProcessingMetadata: {
      ...event.sdkProcessingMetadata,
      ...(trace.samplingContext === undefined ? {} : { dynamicSamplingContext: trace.samplingContext }),
    },
  }
}
