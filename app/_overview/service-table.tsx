import Link from "next/link"
import { formatValue } from "#app/_ui/chart/chart-formats.ts"
import { Sparkline } from "#app/_ui/chart/sparkline.tsx"
import { ErrorIcon } from "#app/_ui/format/icons.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { serviceAddress } from "#app/services/service-address.ts"
import type { ServiceActivity } from "#otel/inspector/queries/list/entry-stats.ts"
import styles from "./small-table.module.css"

interface ServiceTableProps {
  readonly services: readonly ServiceActivity[]
  /** Total number of services. */
  readonly of: number
  readonly colours: ReadonlyMap<string, number>
  /** The window, as an age. */
  readonly since: string
}

/** The busiest services, the busiest first. Services that fail have a row before busier ones that do not. */
export function shownServices(services: readonly ServiceActivity[], rows: number): readonly ServiceActivity[] {
  const shown = new Set(services.toSorted((a, b) => Number(b.failed > 0) - Number(a.failed > 0)).slice(0, rows))
  return services.filter((service) => shown.has(service))
}

export function ServiceTable({ services, of, colours, since }: ServiceTableProps) {
  return (
    <section aria-labelledby="services">
      <h2 id="services" className={styles.heading}>
        Services {of > services.length && <small>{`${services.length} of ${formatCount(of)}`}</small>}
        <Link href={`/services?since=${since}`} prefetch={false}>
          All services
        </Link>
      </h2>
      <table className={styles.table} aria-labelledby="services">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col" className={styles.trend}>
              Trend
            </th>
            <th scope="col" className={styles.number}>
              Traces
            </th>
            <th scope="col" className={`${styles.number} ${styles.failed}`}>
              Failed
            </th>
          </tr>
        </thead>
        <tbody>
          {services.map(({ service, traces, failed, bars, failedBars }) => (
            <tr key={service}>
              <th scope="row">
                <Link href={`${serviceAddress(service)}?since=${since}`} prefetch={false}>
                  <ServiceName name={service} colour={colours.get(service)} />
                </Link>
              </th>
              <td className={styles.trend}>
                <Sparkline
                  values={bars}
                  failed={failedBars}
                  label={`${countOf(traces, "trace")}, ${formatCount(failed)} failed`}
                />
              </td>
              <td className={styles.number}>{formatCount(traces)}</td>
              <td className={`${styles.number} ${styles.failed}`} data-error={failed > 0}>
                {failed > 0 && <ErrorIcon />} {formatCount(failed)}
                {failed > 0 && <small> {formatValue(failed / traces, "share")}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
