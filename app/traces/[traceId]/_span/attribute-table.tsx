"use client"

import Link from "next/link"
import { useId } from "react"
import { BreakableName } from "#app/_ui/format/breakable-name.tsx"
import { OutwardLink } from "#app/_ui/format/outward-link.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { EditorButton } from "#app/_ui/input/editor-button.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import type { AttributeRow } from "#otel/inspector/queries/trace/span-detail.ts"
import { canBeFilter, filterAddress, searchOf } from "./filter-address.ts"
import { sourcePlace } from "./source-place.ts"
import { Section } from "./section.tsx"
import styles from "./span-panel.module.css"

interface AttributeTableProps {
  readonly title: string
  readonly rows: readonly AttributeRow[]
  readonly dropped?: number
  /** Shows the section even when it is empty. */
  readonly always?: boolean
  /** Searches the trace for a value; `undefined` for attributes that cannot be searched. */
  readonly onSearch?: (text: string) => void
}

export function AttributeTable({ title, rows, dropped = 0, always = false, onSearch }: AttributeTableProps) {
  if (rows.length === 0 && dropped === 0 && !always) return null
  return (
    <Section title={title} count={rows.length} dropped={dropped}>
      {rows.length > 0 && <AttributeRows title={title} rows={rows} onSearch={onSearch} />}
    </Section>
  )
}

interface AttributeRowsProps extends Pick<AttributeTableProps, "title" | "rows"> {
  readonly onSearch?: AttributeTableProps["onSearch"] | undefined
}

export function AttributeRows({ title, rows, onSearch }: AttributeRowsProps) {
  return (
    <table className={styles.attributes} aria-label={title}>
      <colgroup>
        <col />
        <col />
        <col />
      </colgroup>
      <tbody>
        {rows.map((row) => (
          <Attribute key={row.key} row={row} place={sourcePlace(row, rows)} onSearch={onSearch} />
        ))}
      </tbody>
    </table>
  )
}

/** Longer values have the whole width, below their name. In characters. */
const BESIDE_NAME = 40

interface AttributeProps extends Pick<AttributeRowsProps, "onSearch"> {
  readonly row: AttributeRow
  /** The place in a source file that it names. */
  readonly place: string | undefined
}

function Attribute({ row, place, onSearch }: AttributeProps) {
  const id = useId()
  const isLong = row.text.length > BESIDE_NAME
  return (
    <>
      <tr data-long={isLong}>
        <th scope="row" id={id} colSpan={isLong ? 2 : undefined}>
          <BreakableName name={shownName(row.key)} />
        </th>
        {!isLong && (
          <td>
            <Value row={row} />
          </td>
        )}
        <td className={styles.action}>
          <div>
            {onSearch !== undefined && canBeFilter(row) && <Filters row={row} onSearch={onSearch} />}
            {place !== undefined && <EditorButton place={place} />}
            <CopyButton text={row.text} what={`value of ${shownName(row.key)}`} />
          </div>
        </td>
      </tr>
      {isLong && (
        <tr>
          <td colSpan={3} headers={id}>
            <Value row={row} />
          </td>
        </tr>
      )}
    </>
  )
}

function Filters({ row: { key, text }, onSearch }: { row: AttributeRow; onSearch: (text: string) => void }) {
  const what = shownName(key)
  return (
    <>
      <button type="button" title={`Search this trace for this ${what}`} onClick={() => onSearch(searchOf(key, text))}>
        =<span className="visually-hidden"> Search this trace for {what}</span>
      </button>
      <Link href={filterAddress(key, text)} prefetch={false} title={`Find traces with this ${what}`}>
        ≡<span className="visually-hidden"> Find traces with this {what}</span>
      </Link>
    </>
  )
}

/** Longer values scroll in a box of their own. In characters. */
const SHORT_TEXT = 600

function Value({ row }: { row: AttributeRow }) {
  const value = <ValueText row={row} />
  return row.text.length > SHORT_TEXT ? <ScrollBox label={`Value of ${shownName(row.key)}`}>{value}</ScrollBox> : value
}

function ValueText({ row: { type, text, cutFrom } }: { row: AttributeRow }) {
  if (text === "") return <small>{type === "empty" ? "no value" : "empty string"}</small>
  return (
    <div className={styles.value} data-type={type} dir="auto">
      {type === "text" ? <OutwardLink text={text} /> : shownText(text)}
      {cutFrom !== undefined && (
        <small>
          {" "}
          … first {formatCount(text.length)} of {formatCount(cutFrom)} characters
        </small>
      )}
    </div>
  )
}
