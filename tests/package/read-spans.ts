import type { TracesJson } from "#otel/protocol/otlp/traces-json.ts"

/** What tests of the foreign projects read of a span. */
export interface Span {
  readonly service: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Of the trace whose screen has the address. */
export async function spansAt(address: string): Promise<Span[]> {
  const response = await fetch(address.replace("/traces/", "/api/traces/"))
  return spansOf((await response.json()) as TracesJson)
}

export function spansOf({ resourceSpans }: TracesJson): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? ""
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ spanId, parentSpanId, name, attributes = [] }) => ({
        service,
        spanId,
        parentSpanId,
        name,
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])])),
      })),
    )
  })
}

/** Names of the span's ancestors, the parent first. */
export function above(spans: readonly Span[], of: Span | undefined): string[] {
  const parent = spans.find(({ spanId }) => spanId === of?.parentSpanId)
  return parent === undefined ? [] : [parent.name, ...above(spans, parent)]
}
