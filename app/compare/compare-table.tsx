import Link from "next/link"
import type { ReactNode } from "react"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import table from "#app/_ui/layout/data-table.module.css"
import { formatShare } from "#app/_ui/format/share.tsx"
import { formatMs, KIND_NAMES } from "#app/routes/figures.ts"
import type { ComparedPath, ComparedRoute } from "#otel/inspector/queries/compare/compare.ts"
import type { Compared, Difference, Figures } from "#otel/inspector/queries/compare/comparison.ts"
import type { ParsedSide } from "#otel/inspector/queries/compare/compare-query.ts"
import { pathTerm, routeTerm, sideTraces } from "./compare-address.ts"
import styles from "./compare.module.css"
import { DifferenceText } from "./difference-text.tsx"

interface Sides {
  readonly a: ParsedSide
  readonly b: ParsedSide
}

export function RouteComparison({ rows, sides }: { rows: readonly ComparedRoute[]; sides: Sides }) {
  return (
    <ComparisonTable caption="Routes" name="Route" counted="Count">
      {rows.map((row) => (
        <Row
          key={`${row.kind} ${row.route}`}
          of={row}
          sides={sides}
          term={routeTerm(row)}
          name={row.route}
          below={KIND_NAMES[row.kind].many}
        />
      ))}
    </ComparisonTable>
  )
}

export function PathComparison({ rows, sides }: { rows: readonly ComparedPath[]; sides: Sides }) {
  return (
    <ComparisonTable caption="Span paths" name="Span" counted="Per trace">
      {rows.map((row) => {
        const steps = row.path.map(({ service, name }) => `${shownName(name)} (${shownName(service)})`)
        return (
          <Row
            key={JSON.stringify(row.path)}
            of={row}
            sides={sides}
            term={pathTerm(row)}
            name={row.path.at(-1)?.name ?? ""}
            below={[shownName(row.path.at(-1)?.service ?? ""), ...ancestors(row)].join(" ‹ ")}
            title={steps.join(" › ")}
            perTrace={row.perTrace}
          />
        )
      })}
    </ComparisonTable>
  )
}

/** The nearest ancestor first. */
function ancestors({ path }: ComparedPath): string[] {
  return path
    .slice(0, -1)
    .toReversed()
    .map(({ name }) => shownName(name))
}

interface ComparisonTableProps {
  readonly caption: string
  readonly name: string
  readonly counted: string
  readonly children: ReactNode
}

function ComparisonTable({ caption, name, counted, children }: ComparisonTableProps) {
  return (
    <table className={`${table.table} ${styles.table}`}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col" className={styles.pair}>
            {counted}
          </th>
          <th scope="col" className={PAIR}>
            p50
          </th>
          <th scope="col" className={CHANGE}>
            Δ p50
          </th>
          <th scope="col" className={PAIR}>
            p95
          </th>
          <th scope="col" className={`${CHANGE} ${table.wider}`}>
            Δ p95
          </th>
          <th scope="col" className={PAIR}>
            Errors
          </th>
          <th scope="col" className={CHANGE}>
            Δ errors
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

const PAIR = `${styles.pair} ${table.wide}`
const CHANGE = `${table.change} ${styles.narrow}`

interface RowProps {
  readonly of: Compared
  readonly sides: Sides
  /** What a trace of the row must match. */
  readonly term: string
  readonly name: string
  readonly below: string
  readonly title?: string
  readonly perTrace?: ComparedPath["perTrace"]
}

function Row({ of, sides, term, name, below, title, perTrace }: RowProps) {
  const { a, b, difference } = of
  const shown = shownName(name)
  const [ofA, ofB] = [sideTraces(sides.a, term), sideTraces(sides.b, term)]
  return (
    <tr>
      <th scope="row" aria-label={shown}>
        <Link href={b === null ? ofA : ofB} prefetch={false} title={title ?? shown}>
          <bdi>{shown}</bdi>
        </Link>
        <span className={table.below}>{below}</span>
      </th>
      <td className={styles.pair}>
        <Count figures={a} href={ofA} label={`${shown}, baseline`} rate={perTrace?.a} /> →{" "}
        <Count figures={b} href={ofB} label={`${shown}, current`} rate={perTrace?.b} />
        {perTrace !== undefined && difference !== null && <Rate difference={perTrace.difference} />}
      </td>
      <Pair of={of} figure={({ p50 }) => formatMs(p50)} />
      <td className={CHANGE}>
        {difference === null ? (
          <span className={styles.only}>{a === null ? "only current" : "only baseline"}</span>
        ) : (
          <DifferenceText difference={difference.p50} unit="milliseconds" before={a?.p50} />
        )}
      </td>
      <Pair of={of} figure={({ p95 }) => formatMs(p95)} />
      <td className={`${CHANGE} ${table.wider}`}>
        {difference !== null && <DifferenceText difference={difference.p95} unit="milliseconds" before={a?.p95} />}
      </td>
      <Pair of={of} figure={({ failed, count }) => formatShare(failed, count)} />
      <td className={CHANGE}>
        {difference !== null && <DifferenceText difference={difference.failedShare} unit="share" />}
      </td>
    </tr>
  )
}

function Pair({ of: { a, b }, figure }: { of: Compared; figure: (of: Figures) => string }) {
  return (
    <td className={PAIR}>
      {a === null ? "–" : figure(a)} → {b === null ? "–" : figure(b)}
    </td>
  )
}

interface CountProps {
  readonly figures: Figures | null
  readonly href: string
  readonly label: string
  /** Spans in a trace, in place of their number. */
  readonly rate: number | undefined
}

/** A count that links to the traces of its side. */
function Count({ figures, href, label, rate }: CountProps) {
  if (figures === null) return <>0</>
  const text = rate === undefined ? formatCount(figures.count) : String(Number(rate.toPrecision(2)))
  return (
    <Link
      href={href}
      prefetch={false}
      aria-label={`${label}: ${text}${rate === undefined ? "" : " in a trace"}`}
      title={countOf(figures.count, "span")}
    >
      {text}
    </Link>
  )
}

/** Only a rate beyond chance is worth a line. */
function Rate({ difference }: { difference: Difference }) {
  if (difference.verdict !== "higher" && difference.verdict !== "lower") return null
  return (
    <small className={styles.rate}>
      <DifferenceText difference={difference} unit="count" />
    </small>
  )
}
