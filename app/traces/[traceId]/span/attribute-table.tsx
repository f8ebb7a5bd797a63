import type { AttributeRow } from "#otel/query/attribute-rows.ts"
import { CopyButton } from "#app/ui/copy-button.tsx"
import { formatCount } from "#app/ui/format-count.ts"
import { OutwardLink } from "#app/ui/outward-link.tsx"
import { ScrollBox } from "#app/ui/scroll-box.tsx"
import { shownName, shownText } from "#app/ui/shown-text.ts"
import { Section } from "./section.tsx"
import styles from "./span-panel.module.css"

interface AttributeTableProps {
  readonly title: string
  readonly rows: readonly AttributeRow[]
  readonly dropped?: number
  /** Shown also when there are none. */
  readonly always?: boolean
}

export function AttributeTable({ title, rows, dropped = 0, always = false }: AttributeTableProps) {
  if (rows.length === 0 && dropped === 0 && !always) return null
  return (
    <Section title={title} count={rows.length} dropped={dropped}>
      {rows.length > 0 && <AttributeRows title={title} rows={rows} />}
    </Section>
  )
}

export function AttributeRows({ title, rows }: { title: string; rows: readonly AttributeRow[] }) {
  return (
    <table className={styles.attributes} aria-label={title}>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">
              <bdi>{shownName(row.key)}</bdi>
            </th>
            <td>
              <Value row={row} />
            </td>
            <td className={styles.action}>
              <CopyButton text={row.text} what={`value of ${shownName(row.key)}`} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Longer values scroll in a box of their own, so that they do not push the others out of sight. */
const SHORT_TEXT = 600

function Value({ row }: { row: AttributeRow }) {
  const value = <ValueText row={row} />
  return row.text.length > SHORT_TEXT ? <ScrollBox label={`Value of ${shownName(row.key)}`}>{value}</ScrollBox> : value
}

function ValueText({ row: { type, text, cutFrom } }: { row: AttributeRow }) {
  if (text === "") return <small>{type === "empty" ? "no value" : "empty text"}</small>
  return (
    <div className={styles.value} data-type={type} dir="auto">
      {type === "text" ? <OutwardLink text={text} /> : shownText(text)}
      {cutFrom !== undefined && (
        <small>
          {" "}
          … the first {formatCount(text.length)} of {formatCount(cutFrom)} characters
        </small>
      )}
    </div>
  )
}
