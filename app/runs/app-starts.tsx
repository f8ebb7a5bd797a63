import { Age } from "#app/_ui/format/age.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { FilterLink } from "#app/runs/filter-link.tsx"
import { termText } from "#otel/inspector/queries/filters.ts"
import type { AppStart } from "#otel/inspector/queries/list/entry-stats.ts"
import { RetainStart } from "./run-actions.tsx"
import styles from "./runs.module.css"

/** Instances of apps, which can be saved as named runs. */
export function AppStarts({ starts, renderedAt }: { starts: readonly AppStart[]; renderedAt: number }) {
  if (starts.length === 0)
    return (
      <p className={styles.about}>
        No instances yet. Set the resource attribute <code>service.instance.id</code>, or name a run with{" "}
        <code>OTEL_RESOURCE_ATTRIBUTES=pagespan.run=my-branch</code>.
      </p>
    )
  return (
    <section aria-labelledby="app-starts">
      <h2 id="app-starts">Instances</h2>
      <table className={styles.table} aria-labelledby="app-starts">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Run or instance</th>
            <th scope="col">Version</th>
            <th scope="col" className={styles.number}>
              Traces
            </th>
            <th scope="col" className={styles.number}>
              First seen
            </th>
            <th scope="col" className={styles.number}>
              Last seen
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {starts.map((start) => (
            <StartRow
              key={JSON.stringify([start.service, start.instance, start.run, start.version])}
              start={start}
              renderedAt={renderedAt}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function StartRow({ start, renderedAt }: { start: AppStart; renderedAt: number }) {
  const { service, instance, run, version, traces, first, last } = start
  const term = run === "" ? termText("service.instance.id", instance) : termText("run", run)
  return (
    <tr>
      <th scope="row">{shownName(service)}</th>
      <td>
        <FilterLink filter={term} name={run || instance} />
      </td>
      <td>{shownName(version || "–")}</td>
      <td className={styles.number}>{formatCount(traces)}</td>
      <td className={styles.number}>
        <Age unixNano={String(first)} renderedAt={renderedAt} />
      </td>
      <td className={styles.number}>
        <Age unixNano={String(last)} renderedAt={renderedAt} />
      </td>
      <td className={styles.actions}>
        {run === "" && <RetainStart filter={term} suggested={`${service}-${instance}`} />}
      </td>
    </tr>
  )
}
