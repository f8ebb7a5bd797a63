import { type Attributes, SpanStatusCode } from "@opentelemetry/api"
import { cleanAttributes } from "./clean-attributes.ts"
import { measurements } from "./measurements.ts"
import { scrubAddress } from "./scrub.ts"
import { spanStatus } from "./span-status.ts"
import type { TraceContext, Transaction, TransactionPayload } from "./transaction.ts"

/**
 * A page's transaction as it leaves: without queries and secrets, as `outgoingSpan` makes each span of a server, in
 * Sentry's words also where the app itself made the span, and with the vitals where Sentry looks for them.
 */
export function outgoingPayload(transaction: Transaction): Transaction {
  const { payload } = transaction
  const { trace } = payload.contexts
  const measured = measurements(trace.data, payload.spans)
  const outgoing: TransactionPayload = {
    ...payload,
    transaction: scrubAddress(payload.transaction),
    contexts: {
      ...payload.contexts,
      otel: { resource: cleanAttributes(payload.contexts.otel.resource).attributes },
      trace: { ...trace, ...inWords(trace), ...cleanLinks(trace) },
    },
    ...(measured === undefined ? {} : { measurements: measured }),
    spans: payload.spans.map((span) => ({
      ...span,
      description: scrubAddress(span.description),
      ...inWords(span),
      ...cleanLinks(span),
    })),
  }
  return { ...transaction, payload: outgoing }
}

interface Worded {
  readonly op?: string
  readonly status: string
  readonly data: Attributes
}

/** A page asks and never answers, so that a span with a request is a client's. */
function inWords({ op, status, data }: Worded): Worded {
  const { attributes } = cleanAttributes(data)
  const code = status === "ok" ? SpanStatusCode.UNSET : SpanStatusCode.ERROR
  const isRequest = "http.request.method" in attributes || "http.method" in attributes
  const word = op ?? (isRequest ? "http.client" : undefined)
  return { ...(word === undefined ? {} : { op: word }), status: spanStatus({ code }, attributes), data: attributes }
}

function cleanLinks({ links }: Pick<TraceContext, "links">): Pick<TraceContext, "links"> {
  if (links === undefined) return {}
  return {
    links: links.map((link) =>
      link.attributes === undefined ? link : { ...link, attributes: cleanAttributes(link.attributes).attributes },
    ),
  }
}
