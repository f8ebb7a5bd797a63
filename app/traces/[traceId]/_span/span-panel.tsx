import { shownName } from "#app/_ui/format/text.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import type { ErrorMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { SpanLogs } from "../_logs/span-logs.tsx"
import { AttributeTable } from "./attribute-table.tsx"
import { Delivery } from "./delivery.tsx"
import { ErrorList, EventList } from "./event-list.tsx"
import { GenAi } from "./gen-ai.tsx"
import { BackLinkList, LinkList } from "./link-list.tsx"
import { RawSpan } from "./raw-span.tsx"
import { PanelHeader } from "./section.tsx"
import { eventIn, useSentryEvent } from "./sentry-event.tsx"
import { SpanActions } from "./span-actions.tsx"
import { SpanFacts } from "./span-facts.tsx"
import styles from "./span-panel.module.css"
import type { SpanPlace } from "./span-place.ts"
import { type ContextResult, SpanRank, useSpanContext } from "./span-rank.tsx"

interface SpanPanelProps {
  readonly traceId: string
  /** The span as received over each protocol, OTLP first. Never empty. */
  readonly versions: readonly SpanDetail[]
  /** `undefined` if the waterfall has no row for it. */
  readonly place: SpanPlace | undefined
  /** Error events of the span. */
  readonly errors: readonly ErrorMark[]
  readonly onOpen: (spanId: string | undefined) => void
  readonly onSearch: (text: string) => void
  readonly onZoom: () => void
}

/** All details of a span. */
export function SpanPanel({ traceId, versions, place, errors, onOpen, onSearch, onZoom }: SpanPanelProps) {
  const [span] = versions
  const context = useSpanContext(traceId, span?.spanId)
  const fromSentry = versions.some(({ source }) => source === "sentry")
  const path = fromSentry ? (place?.path ?? versions.slice(0, 1).map(({ spanId }) => spanId)) : []
  const event = useSentryEvent(traceId, path)
  if (span === undefined) return null
  return (
    <article className={styles.panel}>
      <PanelHeader title={<bdi>{shownName(span.name)}</bdi>} onClose={() => onOpen(undefined)} />
      <SpanRank context={context} />
      <SpanActions span={span} onZoom={onZoom} />
      <SpanFacts span={span} place={place} sessionId={sessionOf(span, context)} onOpen={onOpen} />
      <ErrorList errors={errors} />
      <GenAi span={span} />
      <EventList events={span.events} count={span.eventCount} dropped={span.dropped.events} />
      <SpanLogs span={span} />
      <AttributeTable
        title="Attributes"
        rows={span.attributes}
        dropped={span.dropped.attributes}
        onSearch={onSearch}
        always
      />
      <LinkList links={span.links} count={span.linkCount} dropped={span.dropped.links} />
      <BackLinkList context={context} />
      <AttributeTable title="Resource" rows={span.resource} onSearch={onSearch} />
      <AttributeTable title="Scope" rows={span.scope.attributes} />
      <Delivery versions={versions} errors={errors} event={event} path={path} />
      <RawSpan versions={versions} event={eventIn(event, path)} />
    </article>
  )
}

/** The session of the span, which the span itself has if it is of a page: then no request has to answer first. */
function sessionOf({ attributes }: SpanDetail, context: ContextResult): string | undefined {
  const own = attributes.find(({ key, cutFrom }) => key === "session.id" && cutFrom === undefined)?.text
  if (own !== undefined && own !== "") return own
  return typeof context === "object" ? (context.value.sessionId ?? undefined) : undefined
}

/** Shown when the trace does not contain the span, or when loading fails. */
export function NoSpan({ why, onClose }: { why: "unknown" | "failed"; onClose: () => void }) {
  return (
    <article className={styles.panel}>
      <PanelHeader title={why === "unknown" ? "Span not found" : "Span could not be loaded"} onClose={onClose} />
      <p>
        {why === "unknown"
          ? "No span in this trace has this ID. It may not have arrived yet."
          : "The store did not respond. Close the panel and try again."}
      </p>
    </article>
  )
}
