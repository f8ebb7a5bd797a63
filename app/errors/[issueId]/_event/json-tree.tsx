import { BreakableName } from "#app/_ui/format/breakable-name.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import styles from "./event.module.css"

/** Values of a list or object that are shown; the rest are counted. */
const SHOWN = 200
/** Depth below which values are shown as JSON text. */
const MAX_DEPTH = 5

/** JSON from outside as names and values. Keys are as untrusted as values. */
export function JsonTree({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== "object" || value === null) return <span className={styles.leaf}>{leafText(value)}</span>
  const entries = Object.entries(value)
  if (entries.length === 0) return <span className={styles.leaf}>{Array.isArray(value) ? "[]" : "{}"}</span>
  if (depth >= MAX_DEPTH) return <code className={styles.leaf}>{shownText(JSON.stringify(value))}</code>
  return (
    <dl className={styles.facts}>
      {entries.slice(0, SHOWN).map(([key, inner]) => (
        <div key={key}>
          <dt>
            <BreakableName name={shownText(key)} />
          </dt>
          <dd>
            <JsonTree value={inner} depth={depth + 1} />
          </dd>
        </div>
      ))}
      {entries.length > SHOWN && (
        <div>
          <dt>…</dt>
          <dd>{entries.length - SHOWN} more not shown</dd>
        </div>
      )}
    </dl>
  )
}

function leafText(value: unknown): string {
  return typeof value === "string" ? shownText(value) || "(empty)" : String(value)
}
