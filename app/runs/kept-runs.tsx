import type { Run } from "#otel/model/run.ts"
import { termText } from "#otel/query/filter/index.ts"
import { FilterLink } from "#app/runs/filter-link.tsx"
import { RunActions } from "#app/runs/run-actions.tsx"
import { formatMoment } from "#app/ui/format-time.ts"
import { shownName } from "#app/ui/shown-text.ts"
import styles from "./runs.module.css"

interface KeptRunsProps {
  readonly runs: readonly Run[]
  /** Nothing from before this is stored any more. Nanoseconds since the epoch. */
  readonly oldest: bigint
}

export function KeptRuns({ runs, oldest }: KeptRunsProps) {
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
              <td>
                {until === undefined ? "Goes on" : formatMoment(until)}
                {until !== undefined && until < oldest && <small> · its traces are past the retention</small>}
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
