import { RawParts } from "#app/_ui/layout/raw-parts.tsx"
import type { ItemJson } from "#otel/inspector/queries/errors/envelope-items.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"

interface RawSpanProps {
  readonly told: readonly SpanDetail[]
  /** The Sentry event that brought it; `undefined` where none did, or is not known yet. */
  readonly event: ItemJson | undefined
}

const TITLES = { otlp: "OTLP span", sentry: "Sentry span, as OTLP/JSON" } as const

/** The span as each protocol told it, beside the Sentry event that it came in. */
export function RawSpan({ told, event }: RawSpanProps) {
  const [span] = told
  if (span === undefined) return null
  const address = `/api/traces/${span.traceId}/spans/${span.spanId}/raw`
  const spans = told.map(({ source }) => ({ title: TITLES[source], address, member: source }))
  const parts =
    event === undefined
      ? spans
      : [...spans, { title: "Sentry event, as it came", address: `/api/items/${event.itemId}` }]
  return (
    <section>
      <RawParts summary="Raw JSON" parts={parts} />
    </section>
  )
}
