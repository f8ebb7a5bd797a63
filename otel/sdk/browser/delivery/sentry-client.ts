import type { Client, Event, EventHint } from "@sentry/core"
import { logFilterFailure } from "../../filter-failure.ts"
import { currentFilters } from "../../filters.ts"
import type { PageSettings } from "../../page-settings.ts"
import { processState } from "../../process-state.ts"
import { type ClientDrop, watchClientDrops } from "../../sentry/client-reports.ts"
import { addErrorProcessor, type ErrorTrace } from "../../sentry/error-processor.ts"
import { redactEvent, sanitizePayload } from "../../sentry/sanitize-payload.ts"
import { type SendStream, TransactionSender } from "../../sentry/transaction-sender.ts"
import type { PageError } from "../errors/page-errors.ts"
import type { SentryCalls } from "../errors/sentry-calls.ts"
import { newTraceId } from "../recorder/ids.ts"
import { PageClient } from "./page-client.ts"
import type { CountDrop } from "./page-drops.ts"
import type { RequestOf } from "./page-request.ts"
import type { PageSentry } from "./sentry-outbox.ts"

interface PageSentryOptions {
  readonly settings: PageSettings
  /** Where envelopes are posted to. */
  readonly url: string
  /** Sends within the `keepalive` budget. */
  readonly fetch: typeof globalThis.fetch
  readonly requestOf: RequestOf
  /** Whether the page is hidden or left: its timers run late, or never. */
  isOver(): boolean
  /** Whether envelopes go through the tunnel, which counts what it refuses. */
  isTunnelled(): boolean
  /** Loads what sends span streams: most pages do not need it. */
  stream(): Promise<SendStream>
  traceOf(error: PageError): ErrorTrace | undefined
  /** Called with every error, before it is captured. */
  recordError(error: PageError): void
  /** Counts what the client drops, which its client reports already contain. */
  readonly dropped: CountDrop
}

/** The Sentry client of a page: Sentry's event shaping, none of its tracing, no global patches. */
export function createPageSentry(options: PageSentryOptions): PageSentry {
  const { settings, dropped } = options
  // The categories of this client (errors, transactions, spans, reports) have the same names in both unions.
  const onClientDrop = dropped as ClientDrop
  const page = new PageClient({
    url: options.url,
    environment: settings.environment,
    release: settings.release,
    fetch: options.fetch,
    isTunnelled: options.isTunnelled,
    refused: onClientDrop,
    newEventId: newTraceId,
  })
  const client = page.shared
  const reportDrop = watchClientDrops(client, onClientDrop)
  const sender = new TransactionSender({
    client,
    setting: settings.spans ?? "auto",
    stream: options.stream,
    drop: (count) => {
      dropped("limit_spans", "span", count)
      reportDrop("limit_spans", "span", count)
    },
  })
  addEventProcessors(client, options)
  return {
    captureTransaction: (transaction, samplingContext) => {
      const { root, payload } = sanitizePayload(transaction)
      // The root of a document that was rendered at build time did not know it.
      payload.contexts.otel.resource["service.name"] = settings.service
      // A span stream bypasses the client's event processors.
      sender.send(
        { root, payload: { ...payload, request: options.requestOf(payload.contexts.trace.data) } },
        samplingContext,
      )
      if (options.isOver()) sender.settle()
    },
    captureError(error) {
      options.recordError(error)
      if (!error.isTaken) captureError(page, error, options.requestOf(error.root?.attributes))
    },
    reportDrop,
    flush: () => {
      sender.settle()
      page.reportDrops()
    },
    stop: () => page.stop(),
  }
}

function addEventProcessors(client: Client, options: PageSentryOptions): void {
  addErrorProcessor(client, {
    side: "page",
    service: options.settings.service,
    filters: currentFilters,
    addScopes:
      typeof __PAGESPAN_SENTRY_IN_PAGES__ === "undefined" || __PAGESPAN_SENTRY_IN_PAGES__
        ? processState<SentryCalls>("sentry-calls").value?.connect(client)
        : undefined,
    traceOf: (hint) => {
      const error = pageErrorOf(hint)
      return error && options.traceOf(error)
    },
    drop: (reason) => options.dropped(reason, "error", 1),
    filterFailed: (filter, error) => {
      logFilterFailure(filter, error)
      options.dropped("filter_failed", "internal", 1)
    },
  })
  // Last: an app's own `beforeSend` sees the unredacted error.
  client.addEventProcessor((event) => redactEvent(event))
}

/** The page error of a hint. */
function pageErrorOf(hint: EventHint): PageError | undefined {
  return (hint.data as { pageError?: PageError } | undefined)?.pageError
}

function captureError(client: PageClient, pageError: PageError, request: ReturnType<RequestOf>): void {
  const { thrown, mechanism, root, at } = pageError
  const hint: EventHint = { originalException: thrown, mechanism, data: { pageError } }
  const said = { request, timestamp: at / 1e3, ...(root && { transaction: root.name }) }
  if (thrown === undefined || thrown === null) client.captureEvent({ ...scriptError(pageError), ...said }, hint)
  else client.captureException(thrown, hint, said)
}

/** A script of another origin provides no error object: the event is built from what the browser reports. */
function scriptError({ message: value, position }: PageError): Event {
  const frames = position?.filename ? [{ function: "?", in_app: true, ...position }] : []
  return { level: "error", exception: { values: [{ type: "Error", value, stacktrace: { frames } }] } }
}
