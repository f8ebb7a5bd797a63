"use client"

import { LogList } from "#app/_logs/log-list.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { Section } from "../_span/section.tsx"
import styles from "./trace-logs.module.css"
import { useSpanLogs } from "./use-trace-logs.ts"

/** The logs of a span in its panel. Hidden when it has none. */
export function SpanLogs({ span: { traceId, spanId, startTimeUnixNano } }: { span: SpanDetail }) {
  const result = useSpanLogs(traceId, spanId)
  if (result === "failed") return <p role="alert">The logs of this span could not be loaded.</p>
  if (typeof result !== "object" || result.value.logs.length === 0) return null
  const { logs, next } = result.value
  return (
    <Section title="Logs" count={logs.length} dropped={0}>
      <div className={styles.ofSpan}>
        <LogList
          label="Logs of this span"
          logs={logs}
          from={startTimeUnixNano}
          hrefOf={() => undefined}
          hasServices={false}
        />
      </div>
      {next !== null && (
        <p>
          <small>The first {formatCount(logs.length)}. The view “Logs” has all of them.</small>
        </p>
      )}
    </Section>
  )
}
