import { shownName } from "#app/_ui/format/text.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { AttributeTable } from "./attribute-table.tsx"
import { Delivery } from "./delivery.tsx"
import { ErrorList } from "./event-list.tsx"
import { EventList } from "./event-list.tsx"
import { BackLinkList, LinkList } from "./link-list.tsx"
import { PanelHeader } from "./section.tsx"
import { RawSpan } from "./raw-span.tsx"
import { eventIn, useSentryEvent } from "./sentry-event.tsx"
import { SpanActions } from "./span-actions.tsx"
import { SpanFacts } from "./span-facts.tsx"
import styles from "./span-panel.module.css"
import { SpanRank } from "./span-rank.tsx"
import type { SpanPlace } from "./span-place.ts"
import { useSpanContext } from "./span-rank.tsx"

interface SpanPanelProps {
  readonly traceId: string
  /** As each protocol told it, OTLP first. Never empty. */
  readonly told: readonly SpanDetail[]
  /** `undefined` where the waterfall has no row for it. */
  readonly place: SpanPlace | undefined
  /** Error events that happened in it. */
  readonly errors: readonly ErrorMark[]
  readonly onOpen: (spanId: string | undefined) => void
  readonly onSearch: (text: string) => void
  readonly onZoom: () => void
}

/** Everything that is known of one span. */
export function SpanPanel({ traceId, told, place, errors, onOpen, onSearch, onZoom }: SpanPanelProps) {
  const [span] = told
  const around = useSpanContext(traceId, span?.spanId)
  const fromSentry = told.some(({ source }) => source === "sentry")
  const path = fromSentry ? (place?.path ?? told.slice(0, 1).map(({ spanId }) => spanId)) : []
  const event = useSentryEvent(traceId, path)
  if (span === undefined) return null
  return (
    <article className={styles.panel}>
      <PanelHeader title={<bdi>{shownName(span.name)}</bdi>} onClose={() => onOpen(undefined)} />
      <SpanRank around={around} />
      <SpanActions span={span} onZoom={onZoom} />
      <SpanFacts span={span} place={place} onOpen={onOpen} />
      <ErrorList errors={errors} />
      <EventList events={span.events} count={span.eventCount} dropped={span.dropped.events} />
      <AttributeTable
        title="Attributes"
        rows={span.attributes}
        dropped={span.dropped.attributes}
        onSearch={onSearch}
        always
      />
      <LinkList links={span.links} count={span.linkCount} dropped={span.dropped.links} />
      <BackLinkList around={around} />
      <AttributeTable title="Resource" rows={span.resource} onSearch={onSearch} />
      <AttributeTable title="Scope" rows={span.scope.attributes} />
      <Delivery told={told} errors={errors} event={event} path={path} />
      <RawSpan told={told} event={eventIn(event, path)} />
    </article>
  )
}

/** The address names a span that the trace does not have, or that could not be read. */
export function NoSpan({ why, onClose }: { why: "unknown" | "failed"; onClose: () => void }) {
  return (
    <article className={styles.panel}>
      <PanelHeader
        title={why === "unknown" ? "This span is not here" : "This span could not be read"}
        onClose={onClose}
      />
      <p>
        {why === "unknown"
          ? "No span of this trace has the id that the address names. It may still be on the way."
          : "The store did not answer. Close it and open it again."}
      </p>
    </article>
  )
}
