import Link from "next/link"
import type { ServiceActivity } from "#otel/query/latest-activity.ts"
import { formatCount } from "#app/ui/format-count.ts"
import { ErrorIcon } from "#app/ui/icons.tsx"
import { ServiceName } from "#app/ui/service-name.tsx"
import styles from "./small-table.module.css"

interface ServiceTableProps {
  readonly services: readonly ServiceActivity[]
  /** How many services there are in all. */
  readonly of: number
  readonly colours: ReadonlyMap<string, number>
}

export function ServiceTable({ services, of, colours }: ServiceTableProps) {
  return (
    <section aria-labelledby="services">
      <h2 id="services" className={styles.heading}>
        Services {of > services.length && <small>{`${services.length} of ${formatCount(of)}`}</small>}
      </h2>
      <table className={styles.table} aria-labelledby="services">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col" className={styles.number}>
              Traces
            </th>
            <th scope="col" className={styles.number}>
              With errors
            </th>
          </tr>
        </thead>
        <tbody>
          {services.map(({ name, traces, tracesWithErrors }) => (
            <tr key={name}>
              <th scope="row">
                <Link href={`/traces?${new URLSearchParams({ service: name })}`} prefetch={false}>
                  <ServiceName name={name} colour={colours.get(name)} />
                </Link>
              </th>
              <td className={styles.number}>{formatCount(traces)}</td>
              <td className={styles.number} data-error={tracesWithErrors > 0}>
                {tracesWithErrors > 0 && <ErrorIcon />} {formatCount(tracesWithErrors)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
