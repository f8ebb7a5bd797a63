import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { AppStarts } from "#app/runs/app-starts.tsx"
import { ComparePicker } from "#app/runs/compare-picker.tsx"
import { ComparisonTable } from "#app/runs/comparison-table.tsx"
import { RetainedRuns } from "#app/runs/retained-runs.tsx"
import { StartRun } from "./run-actions.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import type { Comparison } from "#otel/inspector/queries/list/compare-runs.ts"
import type { AppStart } from "#otel/inspector/queries/list/entry-stats.ts"
import { RETAINED_SPAN_LIMIT, type Run, type RunCopy } from "#otel/inspector/queries/list/run.ts"
import styles from "./runs.module.css"

interface RunsViewProps {
  readonly kept: readonly Run[]
  readonly copies: readonly RunCopy[]
  readonly starts: readonly AppStart[]
  /** Names of the runs that are compared; empty text for none. */
  readonly a: string
  readonly b: string
  readonly comparison: readonly Comparison[] | undefined
  /** Age in milliseconds at which traces go. */
  readonly retentionMs: number
  readonly renderedAt: number
}

export function RunsView({ kept, copies, starts, a, b, comparison, retentionMs, renderedAt }: RunsViewProps) {
  const named = [...new Set([...kept.map(({ name }) => name), ...starts.map(({ run }) => run)])].filter(
    (name) => name !== "",
  )
  return (
    <RefreshOnLive className={styles.runs}>
      <h1>Runs</h1>
      <p className={styles.about}>
        A run is a set of traces with a name: a start of an app, a branch, a test. Filter for it with{" "}
        <code>run:name</code> anywhere. The traces of a run that is kept stay until it is removed, whatever their age
        and the size of the store: they are copied once they are an hour old, {formatCount(RETAINED_SPAN_LIMIT)} spans
        of all runs at most.
      </p>
      <StartRun />
      <RetainedRuns runs={kept} copies={copies} oldest={BigInt(renderedAt - retentionMs) * 1_000_000n} />
      <ComparePicker names={named} a={a} b={b} />
      {comparison !== undefined && <ComparisonTable rows={comparison} a={a} b={b} />}
      <AppStarts starts={starts} renderedAt={renderedAt} />
    </RefreshOnLive>
  )
}
