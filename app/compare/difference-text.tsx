import { formatTick, formatValue } from "#app/_ui/chart/chart-formats.ts"
import type { Difference, Verdict } from "#otel/inspector/queries/compare/comparison.ts"
import styles from "./difference-text.module.css"

const SIGNS: Readonly<Record<Verdict, string>> = { higher: "▲", lower: "▼", within_noise: "", too_few: "" }
const WORDS: Readonly<Record<Verdict, string>> = {
  higher: "more than chance",
  lower: "more than chance",
  within_noise: "noise",
  too_few: "too few",
}

interface DifferenceTextProps {
  readonly difference: Difference
  readonly unit: "milliseconds" | "share" | "count"
  /** Of the baseline, for a relative change. */
  readonly before?: number | undefined
}

/** A difference with its sign. Only one beyond chance has a colour; of the others the text says why they have none. */
export function DifferenceText({ difference: { value, verdict }, unit, before = 0 }: DifferenceTextProps) {
  const text = signed(value, unit)
  const share = before > 0 && value !== 0 ? ` (${value > 0 ? "+" : "−"}${percent(Math.abs(value) / before)})` : ""
  return (
    <span className={styles.difference} data-verdict={verdict} title={`${text}${share}: ${WORDS[verdict]}`}>
      {verdict === "too_few" ? (
        WORDS.too_few
      ) : (
        <>
          {SIGNS[verdict] !== "" && <b aria-hidden="true">{SIGNS[verdict]} </b>}
          {text}
          {verdict === "within_noise" && value !== 0 && <small> {WORDS.within_noise}</small>}
        </>
      )}
    </span>
  )
}

function signed(value: number, unit: DifferenceTextProps["unit"]): string {
  const text = unit === "share" ? points(Math.abs(value)) : formatTick(rounded(Math.abs(value), unit), unit)
  return value === 0 ? text : `${value > 0 ? "+" : "−"}${text}`
}

function rounded(value: number, unit: DifferenceTextProps["unit"]): number {
  return unit === "count" ? Number(value.toPrecision(3)) : value
}

/** A difference of shares is in percentage points. */
function points(share: number): string {
  return `${Number((share * 100).toPrecision(2))}\u00A0pp`
}

function percent(share: number): string {
  return formatValue(share, "share")
}
