import { RandomIdGenerator } from "@opentelemetry/sdk-trace-web"
import type { Event, EventHint } from "@sentry/core"
import { version } from "react"
import { currentFilters, type Filters, logFilterFailure } from "../../filters.ts"
import type { PageSettings } from "../../page-settings.ts"
import { type ClientDrop, countingTransport, watchClientDrops } from "../../sentry/client-reports.ts"
import { addErrorProcessor, type ErrorTrace } from "../../sentry/error-processor.ts"
import { DEFAULT_IGNORE_ERRORS } from "../../sentry/error-rules.ts"
import { sanitizePayload, redactEvent } from "../../sentry/sanitize-payload.ts"
import { TransactionSender } from "../../sentry/transaction-sender.ts"
import type { PageError } from "../errors/page-errors.ts"
import { isHidden } from "../page-lifecycle.ts"
import { loadOwn } from "../own-scripts.ts"
import { PageClient, pageTransport } from "./page-client.ts"
import type { CountDrop } from "./page-drops.ts"
import { requestOf } from "./page-request.ts"
import type { PageSentry } from "./sentry-outbox.ts"

interface PageSentryOptions {
  readonly settings: PageSettings
  /** Where envelopes are posted to. */
  readonly url: string
  /** The page's own `fetch`, which counts the bytes that outlive the page. */
  readonly fetch: typeof globalThis.fetch
  traceOf(error: PageError): ErrorTrace | undefined
  /** Counts what the client loses, which its own reports have already. */
  readonly lost: CountDrop
}

/** The Sentry client of a page: Sentry's transport and event shaping, none of its tracing, no global patches. */
export function createPageSentry(options: PageSentryOptions): PageSentry {
  const { settings, lost } = options
  // This client makes errors, transactions, spans and reports, which have the same names in both.
  const lostByClient = lost as ClientDrop
  const page = new PageClient({
    url: options.url,
    environment: settings.environment,
    release: settings.release,
    transport: countingTransport(
      (transportOptions) => pageTransport(transportOptions, options.fetch),
      lostByClient,
      settings.tunnel !== undefined,
    ),
    newEventId: new RandomIdGenerator().generateTraceId,
  })
  const client = page.shared
  const reportDrop = watchClientDrops(client, lostByClient)
  const sender = new TransactionSender({
    client,
    setting: settings.spans ?? "auto",
    // Most pages have no use for it.
    stream: async () => (await loadOwn(() => import("../../sentry/span-stream.ts"))).sendSpanStream,
    lost: (count) => {
      lost("limit_spans", "span", count)
      reportDrop("limit_spans", "span", count)
    },
  })
  client.addEventProcessor((event) => ({
    ...event,
    platform: "javascript",
    request: requestOf(event),
    contexts: { ...event.contexts, react: { version } },
  }))
  addErrorProcessor(client, {
    side: "page",
    filters: pageFilters,
    traceOf: (hint) => {
      const error = pageErrorOf(hint)
      return error && options.traceOf(error)
    },
    lost: (reason) => lost(reason, "error", 1),
    filterFailed: (filter, error) => {
      logFilterFailure(filter, error)
      lost("filter_failed", "internal", 1)
    },
  })
  // Last: an app's own `beforeSend` sees the error as it was.
  client.addEventProcessor(redactEvent)
  return {
    captureTransaction: (transaction, samplingContext) => {
      const { root, payload } = sanitizePayload(transaction)
      // A stream passes none of the client's event processors.
      sender.send({ root, payload: { ...payload, request: requestOf(payload) } }, samplingContext)
      // A hidden page runs its timers late, or never again.
      if (isHidden()) sender.settle()
    },
    captureError: (error) => captureError(page, error),
    reportDrop,
    flush: () => {
      sender.settle()
      page.reportDrops()
    },
    stop: () => page.stop(),
  }
}

/** An app that names nothing has Sentry's default. */
function pageFilters(): Filters {
  const filters = currentFilters()
  const namesErrors = filters.errors.length > 0 || filters.ignoreErrors !== undefined
  return namesErrors ? filters : { ...filters, ignoreErrors: DEFAULT_IGNORE_ERRORS }
}

/** The page's error that a hint was made for. */
function pageErrorOf(hint: EventHint): PageError | undefined {
  return (hint.data as { pageError?: PageError } | undefined)?.pageError
}

function captureError(client: PageClient, pageError: PageError): void {
  const { thrown, mechanism, root, at } = pageError
  const hint: EventHint = { originalException: thrown, mechanism, data: { pageError } }
  const said = { timestamp: at / 1e3, ...(root === undefined ? {} : { transaction: root.name }) }
  if (thrown === undefined || thrown === null) client.captureEvent({ ...scriptError(pageError), ...said }, hint)
  else client.captureException(thrown, hint, said)
}

/** A script from another origin tells no error object; what the browser told stands in for it. */
function scriptError({ message: value, position }: PageError): Event {
  const frames = position?.filename ? [{ function: "?", in_app: true, ...position }] : []
  return { level: "error", exception: { values: [{ type: "Error", value, stacktrace: { frames } }] } }
}
