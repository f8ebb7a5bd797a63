import { RawParts } from "#app/_ui/layout/raw-parts.tsx"
import type { ItemJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"

interface RawSpanProps {
  readonly versions: readonly SpanDetail[]
  /** The Sentry event that contained it; `undefined` if there is none, or while loading. */
  readonly event: ItemJson | undefined
}

const TITLES = { otlp: "OTLP span", sentry: "Sentry span, as OTLP/JSON" } as const

/** The span as received over each protocol, and the Sentry event that contained it. */
export function RawSpan({ versions, event }: RawSpanProps) {
  const [span] = versions
  if (span === undefined) return null
  const address = `/api/traces/${span.traceId}/spans/${span.spanId}/raw`
  const spans = versions.map(({ source }) => ({ title: TITLES[source], address, member: source }))
  const parts =
    event === undefined ? spans : [...spans, { title: "Sentry event, as sent", address: `/api/items/${event.itemId}` }]
  return (
    <section>
      <RawParts summary="Raw JSON" parts={parts} />
    </section>
  )
}
