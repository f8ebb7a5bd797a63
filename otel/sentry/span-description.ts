import type { Attributes } from "@opentelemetry/api"
import type { ChildSpan } from "./transaction.ts"

/** Attribute that keeps a span's own name where its description is another, as in Relay. */
const SPAN_NAME = "sentry.name"

/**
 * A child as a transaction of Sentry's shows it, as Relay has it: a request by method and address, a query by its text, by
 * which Sentry's own views of requests and queries group them. Of a stream Relay makes these itself. Who says a span's origin
 * knows Sentry, and has named it for Sentry: our own in a page are named by routes.
 *
 * @param child with attributes that are cleaned and under their stable names.
 * @see https://github.com/getsentry/relay/tree/master/relay-spans
 */
export function described(child: ChildSpan): ChildSpan {
  const { data, description: name, op } = child
  const derived = data["sentry.origin"] === undefined ? (requestText(data, op) ?? queryText(data, op)) : undefined
  const description = textOf(data, "sentry.description") ?? derived ?? name
  return description === name ? child : { ...child, description, data: { ...data, [SPAN_NAME]: name } }
}

function requestText(data: Attributes, op: string | undefined): string | undefined {
  const method = textOf(data, "http.request.method")
  const address = op === "http.client" ? textOf(data, "url.full") : op === "http.server" ? answeredAt(data) : undefined
  return method === undefined || address === undefined ? undefined : `${method} ${address}`
}

function answeredAt(data: Attributes): string | undefined {
  return textOf(data, "http.route") ?? textOf(data, "url.path")
}

/** A cache speaks like a database, but its keys are nobody's queries. */
function queryText(data: Attributes, op = ""): string | undefined {
  return op.startsWith("cache.") || data["db.system.name"] === undefined ? undefined : textOf(data, "db.query.text")
}

function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name]
  return typeof value === "string" && value !== "" ? value : undefined
}
