import { countOf, formatCount } from "#app/ui/format-count.ts"
import { formatDuration } from "#app/ui/format-duration.ts"
import styles from "./span-panel.module.css"
import type { AroundAnswer } from "./use-context.ts"

/** From here on a span is told apart as slow. */
const SLOW_PERCENTILE = 95

/** Where the duration stands among the spans of the same service and name. */
export function SpanRank({ around }: { around: AroundAnswer }) {
  if (around === undefined || around === "asking") return <p className={styles.rank}>Comparing with its like…</p>
  if (around === "failed") return <p className={styles.rank}>The store has no answer on its like.</p>
  const { count, isCapped, percentile, p50Nano, p95Nano, slowestNano } = around.value.peers
  if (percentile === null)
    return <p className={styles.rank}>{countOf(count, "span")} of this service and name: too few to compare.</p>
  return (
    <p className={styles.rank}>
      <strong className={styles.badge} data-slow={percentile >= SLOW_PERCENTILE}>
        p{percentile}
      </strong>{" "}
      slower than {percentile} % of {isCapped ? "the newest " : ""}
      {formatCount(count)} of this service and name
      <small>
        {" "}
        median {formatDuration(BigInt(p50Nano))}, p95 {formatDuration(BigInt(p95Nano))}, slowest{" "}
        {formatDuration(BigInt(slowestNano))}
      </small>
    </p>
  )
}
