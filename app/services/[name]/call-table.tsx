import Link from "next/link"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { FailedShare } from "#app/_ui/format/share.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs } from "#app/routes/figures.ts"
import { serviceAddress } from "#app/services/service-address.ts"
import type { ServiceCall } from "#otel/inspector/queries/services/service-reader.ts"
import styles from "./service-view.module.css"

interface CallTableProps {
  readonly title: string
  readonly calls: readonly ServiceCall[]
  /** Which end of a call is the other service. */
  readonly of: "caller" | "callee"
  readonly colours: ReadonlyMap<string, number>
  /** Parameters of the links to services. */
  readonly search: string
}

/** The services at the other end of the calls, with the figures of these calls alone. */
export function CallTable({ title, calls, of, colours, search }: CallTableProps) {
  const id = `calls-${of}`
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {calls.length === 0 ? (
        <p className={styles.none}>No other service in this time range.</p>
      ) : (
        <table className={table.table} aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">Service</th>
              <th scope="col" className={table.small}>
                Calls
              </th>
              <th scope="col" className={table.number}>
                Errors
              </th>
              <th scope="col" className={table.number}>
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {calls.map((call) => (
              <tr key={call[of]}>
                <th scope="row">
                  <Link href={`${serviceAddress(call[of])}${search}`} prefetch={false}>
                    <ServiceName name={call[of]} colour={colours.get(call[of])} />
                  </Link>
                </th>
                <td className={table.small}>{formatCount(call.count)}</td>
                <td className={table.number}>
                  <FailedShare {...call} />
                </td>
                <td className={table.number}>{formatMs(call.p95)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
