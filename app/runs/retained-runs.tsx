import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { Moment } from "#app/_ui/format/moment.tsx"
import { FilterLink } from "#app/runs/filter-link.tsx"
import { RunActions } from "#app/runs/run-actions.tsx"
import { termText } from "#otel/inspector/queries/filters.ts"
import { RETAINED_SPAN_LIMIT, type Run, type RunCopy } from "#otel/inspector/queries/list/run.ts"
import styles from "./runs.module.css"

interface RetainedRunsProps {
  readonly runs: readonly Run[]
  readonly copies: readonly RunCopy[]
  /** Traces older than this have expired, unless a run retains them. Nanoseconds since the epoch. */
  readonly oldest: bigint
}

/** What is retained of a run beyond the retention period. */
function RetainedPart({ copy, isPast }: { readonly copy: RunCopy | undefined; readonly isPast: boolean }) {
  if (copy === undefined || (copy.traces === 0 && !copy.isFull))
    return isPast ? "None: the traces have expired" : "None yet"
  return (
    <>
      {countOf(copy.traces, "trace")}, {countOf(copy.spans, "span")}
      {copy.isFull && (
        <small>
          {" "}
          <WarningIcon /> incomplete: at most {formatCount(RETAINED_SPAN_LIMIT)} spans are retained. Remove a run to
          make room
        </small>
      )}
    </>
  )
}

export function RetainedRuns({ runs, copies, oldest }: RetainedRunsProps) {
  if (runs.length === 0)
    return <p className={styles.about}>No retained runs yet. Start one above, or save one of the instances below.</p>
  return (
    <section aria-labelledby="retained-runs">
      <h2 id="retained-runs">Retained runs</h2>
      <table className={styles.table} aria-labelledby="retained-runs">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Filter</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Retained</th>
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
              <td>{since === 0n ? "Any time" : <Moment unixNano={since} />}</td>
              <td>{until === undefined ? "Ongoing" : <Moment unixNano={until} />}</td>
              <td>
                <RetainedPart
                  copy={copies.find(({ run }) => run === name)}
                  isPast={until !== undefined && until < oldest}
                />
              </td>
              <td className={styles.actions}>
                <RunActions name={name} isOngoing={until === undefined} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
