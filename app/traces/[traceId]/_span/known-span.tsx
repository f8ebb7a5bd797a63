import { ErrorIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { PanelHeader } from "./section.tsx"
import { SpanActions } from "./span-actions.tsx"
import { Duration, Fact, Id, TimeShares } from "./span-facts.tsx"
import styles from "./span-panel.module.css"
import type { SpanPlace } from "./span-place.ts"
import { SpanRank } from "./span-rank.tsx"

interface KnownSpanProps {
  readonly traceId: string
  readonly table: WaterfallTable
  readonly row: number
  readonly place: SpanPlace
  readonly onClose: () => void
  readonly onZoom: () => void
}

/** The span panel from waterfall data, shown while the span itself loads. */
export function KnownSpan({ traceId, table, row, place, onClose, onZoom }: KnownSpanProps) {
  return (
    <article className={styles.panel}>
      <PanelHeader title={<bdi>{shownName(table.name(row))}</bdi>} onClose={onClose} />
      <SpanRank context="loading" />
      <SpanActions span={{ traceId, spanId: table.spanId(row), attributes: [] }} onZoom={onZoom} />
      <dl className={styles.facts}>
        {table.has(row, MARK.error) && (
          <Fact name="Status">
            <span className={styles.error}>
              <ErrorIcon /> Error
            </span>
          </Fact>
        )}
        <Fact name="Duration">
          <Duration nanos={BigInt(Math.round(table.duration[row] ?? 0))} />
        </Fact>
        <TimeShares place={place} />
        <Fact name="Start">
          {formatDuration(BigInt(Math.round(place.offset)))} <small>into the trace</small>
        </Fact>
        <Fact name="Service">{shownName(table.service(row))}</Fact>
        <Fact name="Kind">{table.kind(row)}</Fact>
        <Fact name="Span ID">
          <Id id={table.spanId(row)} what="span ID" />
        </Fact>
      </dl>
      <p className={styles.rank}>Loading attributes…</p>
    </article>
  )
}
