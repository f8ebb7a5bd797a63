import Link from "next/link"
import type { ReactNode } from "react"
import { LANGUAGES } from "./language.ts"
import { listParameters, type ListPath, type ListPlace } from "./list-address.ts"
import type { FilterProblem } from "#otel/inspector/queries/filters.ts"
import { filterParameters, type FilterScreen } from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import styles from "./filter-bar.module.css"
import { FilterBox } from "./filter-box.tsx"
import { FilterForm } from "./filter-form.tsx"
import { SavedFilters } from "./saved-filters.tsx"
import { TimeRange } from "./time-range.tsx"

interface FilterBarProps {
  readonly path: ListPath
  readonly place: ListPlace
  readonly problem: FilterProblem | undefined
  readonly children?: ReactNode
}

/** Parameters of the list that the form has no field for. */
const HIDDEN = ["sort", "own", "chart", "baseline", "baselineSince", "baselineUntil"]

/** The screens whose filters can be saved. */
const SAVED: Readonly<Partial<Record<ListPath, FilterScreen>>> = { "/traces": "traces", "/logs": "logs" }

/** The URL holds the filters: a form that works with and without script. */
export function FilterBar({ path, place, problem, children }: FilterBarProps) {
  const { filter, since, until } = place
  const parameters = listParameters(place)
  const screen = SAVED[path]
  const isNarrowed = filter !== "" || since !== undefined || until !== undefined
  return (
    <search aria-label={`Filter ${LANGUAGES[path].selects}`}>
      <FilterForm path={path} place={place} className={styles.bar}>
        <FilterBox path={path} key={filter} filter={filter} problem={problem} />
        <TimeRange key={`${since} ${until}`} path={path} place={place} />
        {HIDDEN.map((name) => {
          const value = parameters.get(name)
          return value === null ? null : <input key={name} type="hidden" name={name} value={value} />
        })}
        <button type="submit">Filter</button>
        {isNarrowed && (
          <Link href={path} prefetch={false}>
            Clear
          </Link>
        )}
        {screen !== undefined && <SavedFilters screen={screen} parameters={filterParameters(screen, parameters)} />}
        <div className={styles.end}>{children}</div>
      </FilterForm>
    </search>
  )
}
