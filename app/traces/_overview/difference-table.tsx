import Link from "next/link"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
import { formatShare } from "#app/_ui/format/share.tsx"
import { toggleTerm } from "#otel/inspector/queries/filters.ts"
import type { GroupText } from "#otel/inspector/queries/list/difference-query.ts"
import {
  type AttributeDifference,
  type Differences,
  termOf,
  type TraceGroup,
  type ValueDifference,
} from "#otel/inspector/queries/list/differences.ts"
import styles from "./difference-table.module.css"
import { ShareBar } from "./share-bar.tsx"
import type { DifferencesData } from "./read-overview.ts"

/** Attributes that are shown before `more` is expanded. */
const FIRST = 8
/** Values of one attribute, and omitted attributes, that are shown. */
const VALUES = 3
const OMITTED = 12

interface DifferenceTableProps {
  readonly read: Promise<DifferencesData | undefined>
  readonly place: ListPlace
}

/** The attributes and values that occur more often in the selection than in the other traces of the baseline. */
export async function DifferenceTable({ read, place }: DifferenceTableProps) {
  const data = await read
  if (data === undefined)
    return <p className={styles.none}>Counting the attributes timed out. The list below is complete.</p>
  const { differences, selection, baseline } = data
  const { attributes, omitted } = differences
  const rest = attributes.slice(FIRST)
  const shown = { ...place, filter: selection.filter }
  return (
    <section className={styles.differences} aria-labelledby="what-differs">
      <h2 id="what-differs" className="visually-hidden">
        What differs
      </h2>
      <p>
        <Group group={differences.selection} text={selection} /> against{" "}
        <Group group={differences.baseline} text={baseline} isOther />
      </p>
      {attributes.length === 0 ? (
        <p className={styles.none}>{nothing(differences)}</p>
      ) : (
        <Rows attributes={attributes.slice(0, FIRST)} of={differences} place={shown} caption="What differs" />
      )}
      {rest.length > 0 && (
        <details>
          <summary>{countOf(rest.length, "more attribute")}</summary>
          <Rows attributes={rest} of={differences} place={shown} caption="What differs, further attributes" />
        </details>
      )}
      {omitted.length > 0 && (
        <p>
          Left out, because nearly every trace has its own value: {omitted.slice(0, OMITTED).map(shownName).join(", ")}
          {omitted.length > OMITTED && ` and ${omitted.length - OMITTED} more`}.
        </p>
      )}
    </section>
  )
}

function nothing({ selection, baseline }: Differences): string {
  if (selection.traces === 0) return "No trace is in the selection. Drag over a chart, or filter."
  if (baseline.traces === 0) return "All traces are in the selection: there is nothing to compare it with."
  return "No attribute differs by five percentage points or more."
}

interface GroupProps {
  readonly group: TraceGroup
  readonly text: GroupText
  readonly isOther?: boolean
}

function Group({ group: { traces, sampled }, text: { filter }, isOther = false }: GroupProps) {
  return (
    <>
      <b>{isOther ? countOf(traces, "other trace") : countOf(traces, "trace")}</b>
      {filter !== "" && (
        <>
          {" "}
          of <code>{shownText(filter)}</code>
        </>
      )}
      {sampled < traces && `, ${formatCount(sampled)} of them sampled`}
    </>
  )
}

interface RowsProps {
  readonly attributes: readonly AttributeDifference[]
  readonly of: Differences
  readonly place: ListPlace
  readonly caption: string
}

function Rows({ attributes, of, place, caption }: RowsProps) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Attribute</th>
          <th scope="col">Value</th>
          <th scope="col">Selection</th>
          <th scope="col">Baseline</th>
          <th scope="col" className={styles.difference}>
            Difference
          </th>
        </tr>
      </thead>
      <tbody>
        {attributes.flatMap((attribute) =>
          attribute.values
            .slice(0, VALUES)
            .map((value, index) => (
              <Row
                key={`${attribute.name} ${attribute.isField} ${value.value}`}
                attribute={attribute}
                value={value}
                isFirst={index === 0}
                of={of}
                place={place}
              />
            )),
        )}
      </tbody>
    </table>
  )
}

interface RowProps extends Pick<RowsProps, "of" | "place"> {
  readonly attribute: AttributeDifference
  readonly value: ValueDifference
  readonly isFirst: boolean
}

function Row({ attribute, value, isFirst, of, place }: RowProps) {
  return (
    <tr data-first={isFirst}>
      <th scope="row">
        <bdi className={isFirst ? undefined : "visually-hidden"}>{shownName(attribute.name)}</bdi>
      </th>
      <td>
        <ValueLinks value={value.value} term={termOf(attribute, value.value)} place={place} />
      </td>
      <Share count={value.selection} group={of.selection} kind="selection" />
      <Share count={value.baseline} group={of.baseline} kind="baseline" />
      <td className={styles.difference}>+{Math.round(value.difference * 100)}&nbsp;pp</td>
    </tr>
  )
}

/** Adds the value to the filter, or excludes it. */
function ValueLinks({ value, term, place }: { value: string; term: string; place: ListPlace }) {
  const to = (text: string) => listAddress({ ...place, filter: toggleTerm(place.filter, text), after: undefined })
  const name = shownName(value)
  return (
    <span className={styles.value}>
      <Link href={to(term)} prefetch={false} scroll={false} title={name}>
        <bdi>{name}</bdi>
      </Link>
      <Link href={to(`-${term}`)} prefetch={false} scroll={false} title={`Exclude ${name}`}>
        <span aria-hidden="true">−</span>
        <span className="visually-hidden">Exclude {name}</span>
      </Link>
    </span>
  )
}

function Share({ count, group, kind }: { count: number; group: TraceGroup; kind: "selection" | "baseline" }) {
  return (
    <td>
      <span className={styles.share}>
        <ShareBar share={count / group.sampled} kind={kind} />
        {formatShare(count, group.sampled)} <small>{formatCount(count)}</small>
      </span>
    </td>
  )
}
