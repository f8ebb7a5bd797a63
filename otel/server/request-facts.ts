import { type Attributes, type Context, createContextKey, type TextMapGetter } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { isLocalRoot } from "../sentry/local-root.ts"
import { toldHeaders } from "../sentry/told-headers.ts"

const FACTS = createContextKey("pagespan.request-facts")

/** Keeps what may be told of a request's headers until its span is started. Next's own span has method and target alone. */
export function withRequestFacts(context: Context, carrier: unknown, getter: TextMapGetter): Context {
  const attributes = headerAttributes((name) => getter.get(carrier, name))
  return Object.keys(attributes).length === 0 ? context : context.setValue(FACTS, attributes)
}

/** What may be told of a request's headers, as the semantic conventions name it. */
export function headerAttributes(valueOf: (name: string) => string | string[] | undefined): Attributes {
  const attributes: Attributes = {}
  for (const name of toldHeaders()) {
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
