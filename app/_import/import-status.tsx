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
  failed: "Import broken off: the file or the server could not be read",
}

/** How far an import is, and at its end what came of it. */
export function ImportStatus({ state, onCancel, onDismiss }: ImportStatusProps) {
  const { name, size, phase, progress, expired } = state
  const isRunning = phase === "sending" || phase === "storing"
  return (
    <aside className={styles.status} aria-label="Import">
      <h2>
        {PHASES[phase]} <bdi>{shownName(name)}</bdi>
      </h2>
      {isRunning && (
        <progress max={Math.max(1, size)} value={progress?.readBytes ?? 0} aria-label="Part of the file that is read" />
      )}
      <output>
        {countOf(progress?.taken ?? 0, "record")} of {countOf(progress?.traceCount ?? 0, "trace")} taken.
        {expired !== undefined && expired > 0 && (
          <> {formatCount(expired)} of them were older than the retention and are not kept.</>
        )}
      </output>
      {progress !== undefined && <Outcome progress={progress} isRunning={isRunning} />}
      <button type="button" onClick={isRunning ? onCancel : onDismiss}>
        {isRunning ? "Cancel" : "Close"}
      </button>
    </aside>
  )
}

function Outcome({ progress, isRunning }: { progress: ImportProgress; isRunning: boolean }) {
  const { lost, traceIds, traceCount } = progress
  const others = traceCount - traceIds.length
  return (
    <ul>
      {[...lost].map(([why, count]) => (
        <li key={why} className={styles.lost}>
          {formatCount(count)} lost: {shownText(why)}
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
      {!isRunning && others > 0 && (
        <li>
          and {formatCount(others)} more: <Link href="/traces">all traces</Link>
        </li>
      )}
    </ul>
  )
}
