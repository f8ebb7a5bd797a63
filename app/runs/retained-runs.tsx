import { FilterLink } from "#app/runs/filter-link.tsx"
import { RunActions } from "#app/runs/run-actions.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { formatMoment } from "#app/_ui/format/time.ts"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { RETAINED_SPAN_LIMIT, type Run, type RunCopy } from "#otel/inspector/queries/list/run.ts"
import { termText } from "#otel/inspector/search/index.ts"
import styles from "./runs.module.css"

interface KeptRunsProps {
  readonly runs: readonly Run[]
  readonly copies: readonly RunCopy[]
  /** Nothing else from before this is stored any more. Nanoseconds since the epoch. */
  readonly oldest: bigint
}

/** What no age takes of a run. */
function KeptPart({ copy, isPast }: { readonly copy: RunCopy | undefined; readonly isPast: boolean }) {
  if (copy === undefined || (copy.traces === 0 && !copy.isFull))
    return isPast ? "Nothing: its traces went with the retention" : "Nothing yet"
  return (
    <>
      {countOf(copy.traces, "trace")}, {countOf(copy.spans, "span")}
      {copy.isFull && (
        <small>
          {" "}
          <WarningIcon /> not all: {formatCount(RETAINED_SPAN_LIMIT)} spans are kept at most. Remove a run to make room
        </small>
      )}
    </>
  )
}

export function RetainedRuns({ runs, copies, oldest }: KeptRunsProps) {
  if (runs.length === 0)
    return <p className={styles.about}>No run is kept yet. Start one above, or keep one of the starts below.</p>
  return (
    <section aria-labelledby="kept-runs">
      <h2 id="kept-runs">Kept runs</h2>
      <table className={styles.table} aria-labelledby="kept-runs">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Filter</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Kept</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ name, filter, since, until }) => (
            <tr key={name}>
              <th scope="row">
                <FilterLink filter={termText("run", name)} name={name} />
              </th>
              <td>{filter === "" ? "All traces" : <code>{shownName(filter)}</code>}</td>
              <td>{since === 0n ? "Any time" : formatMoment(since)}</td>
              <td>{until === undefined ? "Goes on" : formatMoment(until)}</td>
              <td>
                <KeptPart
                  copy={copies.find(({ run }) => run === name)}
                  isPast={until !== undefined && until < oldest}
                />
              </td>
              <td className={styles.actions}>
                <RunActions name={name} goesOn={until === undefined} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
