import { type Attributes, type Context, createContextKey, SpanKind, type TextMapGetter } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Sentry from "@sentry/nextjs"
import { publicAddress } from "../routes/served-paths.ts"
import { isLocalRoot } from "../sentry/span-facts.ts"
import { recordedHeaders, sanitizeAttributes } from "../sentry/sanitize-attributes.ts"
import { httpStatusCode } from "../sentry/span-facts.ts"

const HEADERS = createContextKey("pagespan.request-headers")

/**
 * Stores in the context of a request how to read its recorded headers. Its span, if it is recorded, reads them when it starts:
 * Next's span has only method and target.
 */
export function withRequestHeaders(context: Context, carrier: unknown, getter: TextMapGetter): Context {
  return context.setValue(HEADERS, () => headerAttributes((name) => getter.get(carrier, name)))
}

/** The recorded headers of a request, named by the semantic conventions. */
export function headerAttributes(valueOf: (name: string) => string | string[] | undefined): Attributes {
  const attributes: Attributes = {}
  for (const name of recordedHeaders()) {
    const value = valueOf(name)
    if (value === undefined) continue
    const values = Array.isArray(value) ? value : [value]
    // The page from which the request comes.
    attributes[`http.request.header.${name}`] =
      name === "referer" ? values.map((address) => publicAddress(address)) : values
  }
  const [agent] = (attributes["http.request.header.user-agent"] as string[] | undefined) ?? []
  if (agent !== undefined) attributes["user_agent.original"] = agent
  return attributes
}

/** Sets the recorded headers on the root of the request. */
export class RequestHeaders implements SpanProcessor {
  readonly #isJoined: boolean

  /** @param isJoined whether exporters of the app get the span too. Then the headers are sanitized before they are set. */
  constructor(isJoined: boolean) {
    this.#isJoined = isJoined
  }

  onStart(span: Span, parentContext: Context): void {
    const read = parentContext.getValue(HEADERS) as (() => Attributes) | undefined
    if (read === undefined || !isLocalRoot(span as unknown as ReadableSpan)) return
    const headers = read()
    span.setAttributes(this.#isJoined ? sanitizeAttributes(headers).attributes : headers)
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/**
 * Adds a breadcrumb for each outgoing request, from its span, so that later errors of the same request show it. Replaces
 * Sentry's own instrumentation of `fetch`.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/breadcrumbs/
 */
export class RequestBreadcrumbs implements SpanProcessor {
  onStart(): void {}

  onEnd({ kind, attributes }: ReadableSpan): void {
    const method = attributes["http.request.method"]
    if (kind !== SpanKind.CLIENT || method === undefined) return
    addRequestBreadcrumb(method, attributes["url.full"], httpStatusCode(attributes))
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/** @param url without query. @param status_code `undefined` if it is not known. */
export function addRequestBreadcrumb(method: unknown, url: unknown, status_code: number | undefined): void {
  const data = { method, url, ...(status_code === undefined ? {} : { status_code }) }
  Sentry.addBreadcrumb({ category: "http", type: "http", level: levelOf(status_code), data })
}

function levelOf(status = 0): "error" | "warning" | "info" {
  if (status >= 500) return "error"
  return status >= 400 ? "warning" : "info"
}
