import Form from "next/form"
import Link from "next/link"
import type { ReactNode } from "react"
import styles from "./filter-bar.module.css"

const AGES = [
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
] as const

interface FilterBarProps {
  readonly service: string | undefined
  readonly since: string | undefined
  /** To suggest: the field takes any name. */
  readonly services: readonly string[]
  readonly children: ReactNode
}

/** The filters are the URL's: a form that asks for the page again, with or without script. */
export function FilterBar({ service, since, services, children }: FilterBarProps) {
  const known = AGES.some(([age]) => age === since)
  return (
    <search aria-label="Filter traces">
      <Form action="/traces" className={styles.bar}>
        <label>
          <span>Service</span>
          <input
            key={service}
            name="service"
            defaultValue={service}
            list="services"
            placeholder="Any service"
            autoComplete="off"
            spellCheck={false}
          />
          <datalist id="services">
            {services.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </datalist>
        </label>
        <label>
          <span>Since</span>
          <select key={since} name="since" defaultValue={since ?? ""}>
            <option value="">Any time</option>
            {AGES.map(([age, label]) => (
              <option key={age} value={age}>
                {label}
              </option>
            ))}
            {since !== undefined && !known && <option value={since}>Since {since}</option>}
          </select>
        </label>
        <button type="submit">Filter</button>
        {(service !== undefined || since !== undefined) && (
          <Link href="/traces" prefetch={false}>
            Clear
          </Link>
        )}
        <p className={styles.count}>{children}</p>
      </Form>
    </search>
  )
}
