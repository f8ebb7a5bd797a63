import { countOf } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { CrumbTime } from "#app/errors/[issueId]/_event/crumb-time.tsx"
import { JsonTree } from "#app/errors/[issueId]/_event/json-tree.tsx"
import { readTime } from "#otel/inspector/queries/records.ts"
import styles from "./event.module.css"

/** Breadcrumbs shown, the last before the error. */
const SHOWN = 100

/** Breadcrumbs, oldest first. SDKs send them in any shape. */
export function Breadcrumbs({ crumbs }: { crumbs: unknown }) {
  const list = Array.isArray(crumbs) ? (crumbs as unknown[]) : []
  const shown = list.slice(-SHOWN)
  return (
    <>
      {list.length > SHOWN && (
        <p className={styles.cut}>{countOf(list.length - SHOWN, "earlier breadcrumb")} not shown</p>
      )}
      <ol className={styles.crumbs}>
        {shown.map((crumb, index) => (
          // Breadcrumbs have no id and a fixed order.
          // oxlint-disable-next-line react/no-array-index-key
          <Crumb key={index} crumb={crumb} />
        ))}
      </ol>
    </>
  )
}

function Crumb({ crumb }: { crumb: unknown }) {
  const { timestamp, category, type, level, message, data } = fieldsOf(crumb)
  const time = readTime(timestamp)
  return (
    <li data-level={typeof level === "string" ? level : undefined}>
      {time === undefined ? <time>–</time> : <CrumbTime unixNano={String(time)} />}
      <span className={styles.category}>{shownName(String(category ?? type ?? "default"))}</span>
      <div>
        {message !== undefined && message !== null && <span className={styles.leaf}>{shownText(String(message))}</span>}
        {typeof data === "object" && data !== null && <JsonTree value={data} depth={3} />}
      </div>
    </li>
  )
}

function fieldsOf(crumb: unknown): Record<string, unknown> {
  return typeof crumb === "object" && crumb !== null ? (crumb as Record<string, unknown>) : { message: crumb }
}
