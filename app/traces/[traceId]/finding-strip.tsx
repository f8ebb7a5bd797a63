"use client"

import { useState } from "react"
import { ErrorIcon, WarningIcon } from "#app/_ui/format/icons.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { Finding, FindingKind } from "#otel/inspector/queries/trace/findings/findings.ts"
import { findingKey } from "./_state/trace-address.ts"
import styles from "./finding-strip.module.css"

interface FindingStripProps {
  readonly findings: readonly Finding[]
  /** Of the trace, in nanoseconds. */
  readonly duration: number
  /** Key of the selected finding. */
  readonly selected: string | undefined
  readonly onSelect: (finding: Finding | undefined) => void
}

/** Findings that are shown before the others are asked for, on wide and on narrow screens. */
const FIRST = 4
const FIRST_NARROW = 2
/** Some span always has the largest self time: a smaller share of the trace is no finding. */
const LEAST_SHARE = 0.1

/** What stands out in the trace. A click selects the spans of a finding; nothing is shown where nothing stands out. */
export function FindingStrip({ findings, duration, selected, onSelect }: FindingStripProps) {
  const [showsAll, setShowsAll] = useState(false)
  const all = findings.filter((finding) => finding.kind !== "largest_self_time" || isNews(finding, findings, duration))
  if (all.length === 0) return null
  const shown = showsAll ? all : all.slice(0, FIRST)
  return (
    <section className={styles.strip} aria-label="Findings" data-all={showsAll}>
      <ul>
        {shown.map((finding) => {
          const key = findingKey(finding)
          const isSelected = key === selected
          return (
            <li key={key}>
              <button
                type="button"
                aria-pressed={isSelected}
                title={hintOf(finding)}
                onClick={() => onSelect(isSelected ? undefined : finding)}
              >
                <Sign kind={finding.kind} />
                <FindingText finding={finding} />
              </button>
            </li>
          )
        })}
      </ul>
      {all.length > FIRST_NARROW && !showsAll && (
        <button type="button" className={styles.more} data-few={all.length <= FIRST} onClick={() => setShowsAll(true)}>
          All {formatCount(all.length)} findings
        </button>
      )}
    </section>
  )
}

/** Whether the largest self time is a large share of the trace, of a span that no other finding shows. */
function isNews({ spanIds, durationNano }: Finding, findings: readonly Finding[], duration: number): boolean {
  const [spanId = ""] = spanIds
  const isShown = findings.some(({ kind, spanIds: others }) => kind !== "largest_self_time" && others.includes(spanId))
  return Number(durationNano) >= duration * LEAST_SHARE && !isShown
}

const FAILURES: ReadonlySet<FindingKind> = new Set(["failed_call", "retried_call"])
const DOUBTS: ReadonlySet<FindingKind> = new Set(["missing_parent", "clock_skew", "late_vitals"])

function Sign({ kind }: { kind: FindingKind }) {
  if (FAILURES.has(kind)) return <ErrorIcon />
  return DOUBTS.has(kind) ? <WarningIcon /> : null
}

function FindingText({ finding: { title, durationNano, parentName } }: { finding: Finding }) {
  return (
    <>
      <bdi className={styles.title}>{shownName(title)}</bdi>
      <span className={styles.time}>{formatDuration(BigInt(durationNano))}</span>
      {parentName !== null && (
        <span className={styles.parent}>
          under <bdi>{shownName(parentName)}</bdi>
        </span>
      )}
    </>
  )
}

const KINDS: Readonly<Record<FindingKind, string>> = {
  repeated_siblings: "The same call again and again, one after the other: most likely a loop (N + 1)",
  retried_call: "Attempts of one call",
  failed_call: "Where a failure began",
  largest_self_time: "The span that took most time itself",
  missing_parent: "The parent was not sampled, not sent here, or has not arrived",
  clock_skew: "The clocks of the hosts differ by at least this much",
  late_vitals: "Not counted in the duration of the trace",
}

function hintOf({ kind, service, message }: Finding): string {
  return [KINDS[kind], ...[service, message].filter((text) => text !== "").map(shownName)].join(" · ")
}
