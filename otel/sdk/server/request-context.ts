import { type Attributes, type Context, createContextKey, SpanKind, type TextMapGetter } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Sentry from "@sentry/nextjs"
import { isLocalRoot } from "../sentry/open-roots.ts"
import { recordedHeaders } from "../sentry/sanitize-attributes.ts"
import { httpStatusCode } from "../sentry/span-facts.ts"

const FACTS = createContextKey("pagespan.request-facts")

/** Keeps what may be told of a request's headers until its span is started. Next's own span has method and target alone. */
export function withRequestFacts(context: Context, carrier: unknown, getter: TextMapGetter): Context {
  const attributes = headerAttributes((name) => getter.get(carrier, name))
  return Object.keys(attributes).length === 0 ? context : context.setValue(FACTS, attributes)
}

/** What may be told of a request's headers, as the semantic conventions name it. */
export function headerAttributes(valueOf: (name: string) => string | string[] | undefined): Attributes {
  const attributes: Attributes = {}
  for (const name of recordedHeaders()) {
    const value = valueOf(name)
    if (value !== undefined) attributes[`http.request.header.${name}`] = Array.isArray(value) ? value : [value]
  }
  const [agent] = (attributes["http.request.header.user-agent"] as string[] | undefined) ?? []
  if (agent !== undefined) attributes["user_agent.original"] = agent
  return attributes
}

/** Puts the request's facts on the root of the request. */
export class RequestFacts implements SpanProcessor {
  onStart(span: Span, parentContext: Context): void {
    const facts = parentContext.getValue(FACTS)
    if (facts !== undefined && isLocalRoot(span as unknown as ReadableSpan)) span.setAttributes(facts as Attributes)
  }

  onEnd(): void {}

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

/**
 * What a request asked of other servers, as breadcrumbs of the errors that come after it: what Sentry's own
 * instrumentation of `fetch` leaves, told by the spans that are there anyway.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/breadcrumbs/
 */
export class RequestBreadcrumbs implements SpanProcessor {
  onStart(): void {}

  onEnd({ kind, attributes }: ReadableSpan): void {
    const method = attributes["http.request.method"]
    if (kind !== SpanKind.CLIENT || method === undefined) return
    const status_code = httpStatusCode(attributes)
    const data = { method, url: attributes["url.full"], ...(status_code === undefined ? {} : { status_code }) }
    Sentry.addBreadcrumb({ category: "http", type: "http", level: levelOf(status_code), data })
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

function levelOf(status = 0): "error" | "warning" | "info" {
  if (status >= 500) return "error"
  return status >= 400 ? "warning" : "info"
}
