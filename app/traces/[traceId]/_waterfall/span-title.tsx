import { BurstIcon, ErrorIcon, WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { MARK } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import styles from "./span-title.module.css"

interface SpanTitleProps {
  readonly table: WaterfallTable
  readonly row: number
  /** Whether it matches the search. */
  readonly found: boolean
  readonly errorsAt: readonly number[] | undefined
}

const SIGNS = [
  { mark: MARK.error, Icon: ErrorIcon, kind: "error", says: "Error" },
  { mark: MARK.exception, Icon: BurstIcon, kind: "error", says: "Exception" },
  { mark: MARK.parentMissing, Icon: WarningIcon, kind: "warning", says: "Parent missing" },
  { mark: MARK.ringCut, Icon: WarningIcon, kind: "warning", says: "Parent link cut" },
  { mark: MARK.skewed, Icon: WarningIcon, kind: "warning", says: "Clock skew: starts before its parent" },
] as const

/** One letter for each kind that names a side of a call. */
const KIND_LETTER: Readonly<Record<string, string>> = { server: "S", client: "C", producer: "P", consumer: "Q" }

/** Name, warnings, kind, and the service if it differs from the parent's. */
export function SpanTitle({ table, row, found, errorsAt }: SpanTitleProps) {
  const name = shownName(table.name(row))
  const service = shownName(table.service(row))
  const kind = table.kind(row)
  const parent = table.parent[row] ?? -1
  const newService = parent === -1 || table.service(parent) !== table.service(row)
  const isError = table.has(row, MARK.error)
  const signs = SIGNS.filter(({ mark }) => table.has(row, mark))
  return (
    <>
      <span className={styles.stripe} aria-hidden="true" />
      {signs.map(({ mark, Icon, kind: sign, says }) => (
        <span key={mark} className={styles[sign]} title={says}>
          <Icon />
          <span className="visually-hidden">{says}: </span>
        </span>
      ))}
      {errorsAt !== undefined && !table.has(row, MARK.exception) && (
        <span className={styles.error} title="Reported error">
          <BurstIcon />
          <span className="visually-hidden">Reported error: </span>
        </span>
      )}
      <a
        href={`?span=${table.spanId(row)}`}
        tabIndex={-1}
        className={styles.name}
        title={`${name} · ${service} · ${kind}`}
        data-error={isError}
        data-found={found}
      >
        <bdi>{name}</bdi>
      </a>
      {found && <span className="visually-hidden"> (found)</span>}
      {KIND_LETTER[kind] !== undefined && (
        <abbr className={styles.kind} title={`Kind: ${kind}`}>
          {KIND_LETTER[kind]}
        </abbr>
      )}
      {newService && <bdi className={styles.service}>{service}</bdi>}
    </>
  )
}
