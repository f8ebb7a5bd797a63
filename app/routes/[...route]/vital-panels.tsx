import { Chart } from "#app/_ui/chart/chart.tsx"
import { OutwardLink } from "#app/_ui/format/outward-link.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { formatVital } from "#app/routes/figures.ts"
import { VitalMark } from "#app/routes/vital-mark.tsx"
import type { Steps } from "#otel/inspector/queries/list/time-range.ts"
import { type RouteDetail, type Vital, type VitalDetail, VITALS } from "#otel/inspector/queries/routes/route-reader.ts"
import { ratingOf, VITAL_MEANINGS } from "#otel/inspector/queries/trace/trace-marks.ts"
import { RatingBar } from "./rating-bar.tsx"
import styles from "./vital-panels.module.css"

/** Web vitals, rated at the 75th percentile: https://web.dev/articles/vitals */
export function VitalPanels({ details, steps }: { details: RouteDetail["vitals"]; steps: Steps }) {
  const known = VITALS.filter((vital) => details[vital] !== undefined)
  if (known.length === 0) return null
  return (
    <section aria-labelledby="vitals">
      <h2 id="vitals">Web vitals</h2>
      <ul className={styles.vitals}>
        {known.map((vital) => {
          const detail = details[vital]
          return detail === undefined ? null : (
            <li key={vital}>
              <VitalPanel vital={vital} detail={detail} steps={steps} />
            </li>
          )
        })}
      </ul>
      <p className={styles.source}>
        75th percentile. Thresholds: <OutwardLink text="https://web.dev/articles/vitals" />
      </p>
    </section>
  )
}

function VitalPanel({ vital, detail, steps }: { vital: Vital; detail: VitalDetail; steps: Steps }) {
  const { name, good, poor, unit } = VITAL_MEANINGS[vital]
  const rating = ratingOf(vital, detail.p75)
  return (
    <>
      <h3>
        <abbr title={name}>{vital.toUpperCase()}</abbr> <VitalMark vital={vital} figure={detail} />{" "}
        <small>{rating}</small>
      </h3>
      <Shares detail={detail} />
      <Chart
        size="small"
        data={{
          title: `${name} over time`,
          kind: "lines",
          unit,
          x: { kind: "time", from: steps.fromMs, step: steps.stepMs, count: steps.count },
          series: [{ label: "p75", colour: "--accent", values: detail.trend }],
          marks: [
            { axis: "y", at: good, label: `Good ≤ ${formatVital(vital, good)}`, colour: "--good" },
            { axis: "y", at: poor, label: `Poor > ${formatVital(vital, poor)}`, colour: "--error" },
          ],
        }}
      />
    </>
  )
}

function Shares({ detail: { good, needsImprovement, poor, count } }: { detail: VitalDetail }) {
  const share = (part: number) => (part / count) * 100
  return (
    <div className={styles.shares}>
      <RatingBar good={share(good)} needsImprovement={share(needsImprovement)} poor={share(poor)} />
      <p>
        {countOf(count, "page load")}: {good} good, {needsImprovement} needs improvement, {poor} poor
      </p>
    </div>
  )
}
