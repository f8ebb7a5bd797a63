import Link from "next/link"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { formatAge } from "#app/_ui/format/time.ts"
import styles from "./health-line.module.css"

export interface HealthLineProps {
  readonly health: {
    /** `ok`, or what is wrong. */
    readonly status: string
    readonly queue: { readonly depth: number; readonly oldestMs: number }
    /** Records dropped since the start, by reason. */
    readonly dropped: Readonly<Partial<Record<string, number>>>
  }
}

const STATUS_NAMES: Readonly<Record<string, string>> = {
  starting: "Store starting",
  down: "Store unavailable",
  closed: "Store closed",
  "journal unavailable": "Journal unavailable",
  "queue full": "Queue full",
}

/** Reasons shown by name; the others are summed. */
const NAMED = 4

export function HealthLine({ health: { status, queue, dropped } }: HealthLineProps) {
  const reasons = Object.entries(dropped)
    .map(([reason, count]) => [reason, count ?? 0] as const)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  const others = reasons.slice(NAMED).reduce((sum, [, count]) => sum + count, 0)
  const named = reasons.slice(0, NAMED).map(([reason, count]) => `${formatCount(count)} ${reason.replaceAll("_", " ")}`)
  if (others > 0) named.push(`${formatCount(others)} for other reasons`)
  return (
    <dl className={styles.health} aria-label="Health">
      <div data-status={status === "ok" ? "ok" : "degraded"}>
        <dt>Ingest</dt>
        <dd>
          {status === "ok" ? (
            "Healthy"
          ) : (
            <>
              <WarningIcon /> {STATUS_NAMES[status] ?? status}
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Queue</dt>
        <dd>
          {formatCount(queue.depth)}
          {queue.depth > 0 && `, oldest ${queue.oldestMs < 1_000 ? "< 1\u00A0s" : formatAge(queue.oldestMs)}`}
        </dd>
      </div>
      <div>
        <dt>Dropped since start</dt>
        <dd>
          {named.length === 0 ? (
            "Nothing"
          ) : (
            <Link href="/dropped" prefetch={false}>
              {named.join(", ")}
            </Link>
          )}
        </dd>
      </div>
    </dl>
  )
}
