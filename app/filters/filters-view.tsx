import Link from "next/link"
import { shownName } from "#app/_ui/format/text.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { FilterActions } from "#app/filters/filter-actions.tsx"
import { NotificationSwitch } from "#app/filters/notification-switch.tsx"
import {
  type FilterScreen,
  SAVED_FILTER_LIMIT,
  type SavedFilterJson,
  WATCH_LIMIT,
} from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import styles from "./filters.module.css"

interface FiltersViewProps {
  readonly filters: readonly SavedFilterJson[]
  /** Why the filters cannot be read. */
  readonly problem: string | undefined
}

const SCREEN_NAMES: Readonly<Record<FilterScreen, string>> = { traces: "Traces", logs: "Logs", errors: "Errors" }

/** Every saved filter, and its watch. */
export function FiltersView({ filters, problem }: FiltersViewProps) {
  return (
    <div className={styles.screen}>
      <h1>Saved filters</h1>
      <p className={styles.about}>
        Everyone who uses this inspector has the same saved filters, at most {SAVED_FILTER_LIMIT}. A watch measures the
        recent traces or logs of a filter while a screen is open, and trips above its threshold. At most {WATCH_LIMIT}{" "}
        filters are watched.
      </p>
      <Notices notices={problem === undefined ? [] : [problem]} />
      <NotificationSwitch />
      {filters.length === 0 ? <NoFilters /> : <FilterList filters={filters} />}
    </div>
  )
}

function FilterList({ filters }: { filters: readonly SavedFilterJson[] }) {
  return (
    <ul className={styles.filters} aria-label="Saved filters">
      {filters.map((filter) => (
        <li key={filter.id}>
          <div className={styles.filter}>
            <Link href={filter.address} prefetch={false}>
              <bdi>{shownName(filter.name)}</bdi>
            </Link>
            <span className={styles.text}>
              {SCREEN_NAMES[filter.screen]} <code>{shownName(filterText(filter))}</code>
            </span>
          </div>
          <FilterActions filter={filter} />
        </li>
      ))}
    </ul>
  )
}

/** The filter, and the other parameters by name. */
function filterText({ parameters }: SavedFilterJson): string {
  const { q = "", ...others } = parameters
  return [q, ...Object.entries(others).map(([name, value]) => `${name}=${value}`)].filter(Boolean).join(" ")
}

function NoFilters() {
  return (
    <Message title="No saved filters" level={2}>
      <p>
        Filter <Link href="/traces">traces</Link>, <Link href="/logs">logs</Link> or <Link href="/errors">errors</Link>,
        and save the filter under a name from the menu “Saved filters”.
      </p>
    </Message>
  )
}
