import { type Attributes, SpanKind } from "@opentelemetry/api"

/**
 * What Sentry shows of a child in place of its name, as Relay has it: a request by method and address, a query by its text,
 * by which Sentry's own views of requests and queries group them. `undefined` where the name is as good.
 *
 * @param attributes cleaned and under their stable names.
 * @see https://github.com/getsentry/relay/tree/master/relay-spans
 */
export function spanDescription(attributes: Attributes, kind: SpanKind): string | undefined {
  return (
    textOf(attributes, "sentry.description") ?? requestDescription(attributes, kind) ?? queryDescription(attributes)
  )
}

function requestDescription(attributes: Attributes, kind: SpanKind): string | undefined {
  const method = textOf(attributes, "http.request.method")
  const address =
    kind === SpanKind.CLIENT
      ? textOf(attributes, "url.full")
      : kind === SpanKind.SERVER
        ? (textOf(attributes, "http.route") ?? textOf(attributes, "url.path"))
        : undefined
  return method === undefined || address === undefined ? undefined : `${method} ${address}`
}

/** A cache speaks like a database, but its keys are nobody's queries. */
function queryDescription(attributes: Attributes): string | undefined {
  const isCache = textOf(attributes, "sentry.op")?.startsWith("cache.") === true
  return isCache || attributes["db.system.name"] === undefined ? undefined : textOf(attributes, "db.query.text")
}

function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name]
  return typeof value === "string" && value !== "" ? value : undefined
}
