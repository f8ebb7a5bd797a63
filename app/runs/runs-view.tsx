import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { AppStarts } from "#app/runs/app-starts.tsx"
import { ComparePicker } from "#app/runs/compare-picker.tsx"
import { RetainedRuns } from "#app/runs/retained-runs.tsx"
import type { AppStart } from "#otel/inspector/queries/list/entry-stats.ts"
import { RETAINED_SPAN_LIMIT, type Run, type RunCopy } from "#otel/inspector/queries/list/run.ts"
import { StartRun } from "./run-actions.tsx"
import styles from "./runs.module.css"

interface RunsViewProps {
  readonly retained: readonly Run[]
  readonly copies: readonly RunCopy[]
  readonly starts: readonly AppStart[]
  /** Age in milliseconds at which traces expire. */
  readonly retentionMs: number
  readonly own: InternalTelemetry
  readonly renderedAt: number
}

export function RunsView({ retained, copies, starts, retentionMs, own, renderedAt }: RunsViewProps) {
  const named = [...new Set([...retained.map(({ name }) => name), ...starts.map(({ run }) => run)])].filter(
    (name) => name !== "",
  )
  return (
    <RefreshOnLive own={own} className={styles.runs}>
      <h1>Runs</h1>
      <p className={styles.about}>
        A run is a named set of traces, such as an app instance, a branch or a test. Filter by <code>run:name</code> on
        any screen. Traces of a retained run stay until you remove the run, whatever their age. They are copied once
        they are an hour old, up to {formatCount(RETAINED_SPAN_LIMIT)} spans over all runs.
      </p>
      <StartRun />
      <RetainedRuns runs={retained} copies={copies} oldest={BigInt(renderedAt - retentionMs) * 1_000_000n} />
      <ComparePicker names={named} />
      <AppStarts starts={starts} renderedAt={renderedAt} />
    </RefreshOnLive>
  )
}
