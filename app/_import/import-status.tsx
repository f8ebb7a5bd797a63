import Link from "next/link"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import styles from "./import-drop.module.css"
import type { ImportProgress } from "./run-import.ts"
import type { ImportState } from "./use-import.ts"

interface ImportStatusProps {
  readonly state: ImportState
  readonly onCancel: () => void
  readonly onDismiss: () => void
}

const PHASES: Readonly<Record<ImportState["phase"], string>> = {
  sending: "Importing",
  storing: "Waiting for the store",
  done: "Imported",
  cancelled: "Import cancelled",
  failed: "Import failed: cannot read the file or reach the server",
}

/** Progress of an import, then its result. */
export function ImportStatus({ state, onCancel, onDismiss }: ImportStatusProps) {
  const { name, size, phase, progress, expired } = state
  const isRunning = phase === "sending" || phase === "storing"
  return (
    <aside className={styles.status} aria-label="Import">
      <h2>
        {PHASES[phase]} <bdi>{shownName(name)}</bdi>
      </h2>
      {isRunning && <progress max={Math.max(1, size)} value={progress?.readBytes ?? 0} aria-label="Import progress" />}
      <output>
        {countOf(progress?.accepted ?? 0, "record")} from {countOf(progress?.traceCount ?? 0, "trace")} imported.
        {expired !== undefined && expired > 0 && <> {formatCount(expired)} dropped as older than the retention.</>}
      </output>
      {progress !== undefined && <Outcome progress={progress} isRunning={isRunning} />}
      <button type="button" onClick={isRunning ? onCancel : onDismiss}>
        {isRunning ? "Cancel" : "Close"}
      </button>
    </aside>
  )
}

function Outcome({ progress, isRunning }: { progress: ImportProgress; isRunning: boolean }) {
  const { rejected, traceIds, traceCount } = progress
  const moreCount = traceCount - traceIds.length
  return (
    <ul>
      {[...rejected].map(([why, count]) => (
        <li key={why} className={styles.rejected}>
          {formatCount(count)} rejected: {shownText(why)}
        </li>
      ))}
      {!isRunning &&
        traceIds.map((traceId) => (
          <li key={traceId}>
            <Link href={`/traces/${encodeURIComponent(traceId.toLowerCase())}`} prefetch={false}>
              <code>{shownName(traceId)}</code>
            </Link>
          </li>
        ))}
      {!isRunning && moreCount > 0 && (
        <li>
          and {formatCount(moreCount)} more: <Link href="/traces">all traces</Link>
        </li>
      )}
    </ul>
  )
}
