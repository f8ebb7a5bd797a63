import { shownText } from "#app/_ui/format/text.ts"
import styles from "./event.module.css"

/** Values in a list or object that are shown; more are counted. */
const SHOWN = 200
/** Deeper than this stands as JSON text. */
const DEEPEST = 5

/** JSON that arrived, as names and values. Keys are text as much as values are. */
export function JsonTree({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== "object" || value === null) return <span className={styles.leaf}>{leafText(value)}</span>
  const entries = Object.entries(value)
  if (entries.length === 0) return <span className={styles.leaf}>{Array.isArray(value) ? "[]" : "{}"}</span>
  if (depth >= DEEPEST) return <code className={styles.leaf}>{shownText(JSON.stringify(value))}</code>
  return (
    <dl className={styles.facts}>
      {entries.slice(0, SHOWN).map(([key, inner]) => (
        <div key={key}>
          <dt>
            <bdi>{shownText(key)}</bdi>
          </dt>
          <dd>
            <JsonTree value={inner} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {entries.length > SHOWN && (
        <div>
          <dt>…</dt>
          <dd>{entries.length - SHOWN} more are not shown</dd>
        </div>
      )}
    </dl>
  )
}

function leafText(value: unknown): string {
  return typeof value === "string" ? shownText(value) || "(empty)" : String(value)
}
