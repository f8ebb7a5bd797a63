"use client"

import { useRouter } from "next/navigation"
import { useRef } from "react"
import { LANGUAGES } from "./language.ts"
import { listAddress, type ListPath, type ListPlace } from "./list-address.ts"
import styles from "./filter-bar.module.css"

const AGES = [
  ["5m", "Last 5 minutes"],
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["6h", "Last 6 hours"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
] as const

/** Time range: a relative age, or two absolute times in UTC. */
export function TimeRange({ path, place }: { path: ListPath; place: ListPlace }) {
  const { until } = place
  // A region belongs to the time range that it was selected in.
  const bare = { ...place, after: undefined, baseline: undefined }
  const { window } = LANGUAGES[path]
  const since = place.since === window ? undefined : place.since
  const router = useRouter()
  const details = useRef<HTMLDetailsElement>(null)
  const from = useRef<HTMLInputElement>(null)
  const to = useRef<HTMLInputElement>(null)
  const isAge = until === undefined && AGES.some(([age]) => age === since)
  const isChosen = !isAge && (since !== undefined || until !== undefined)
  const apply = () => {
    const [sinceText, untilText] = [momentOf(from.current), momentOf(to.current)]
    if (details.current !== null) details.current.open = false
    router.push(listAddress({ ...bare, since: sinceText, until: untilText }, path))
  }
  return (
    <div className={styles.range}>
      <label>
        <span className="visually-hidden">Time</span>
        <select
          name="since"
          defaultValue={since ?? ""}
          onChange={({ target }) =>
            router.push(listAddress({ ...bare, since: target.value || undefined, until: undefined }, path))
          }
        >
          <option value="">{AGES.find(([age]) => age === window)?.[1] ?? "Any time"}</option>
          {AGES.filter(([age]) => age !== window).map(([age, label]) => (
            <option key={age} value={age}>
              {label}
            </option>
          ))}
          {isChosen && <option value={since ?? ""}>{rangeText(since, until)}</option>}
        </select>
      </label>
      {until !== undefined && <input type="hidden" name="until" value={until} />}
      <details ref={details} className={styles.moments}>
        <summary title="From and to, in UTC">Custom range</summary>
        <div>
          <label>
            From (UTC)
            <input ref={from} type="datetime-local" step="1" defaultValue={fieldValue(since)} />
          </label>
          <label>
            To (UTC)
            <input ref={to} type="datetime-local" step="1" defaultValue={fieldValue(until)} />
          </label>
          <button type="button" onClick={apply}>
            Apply
          </button>
        </div>
      </details>
    </div>
  )
}

/** A moment in the format of `datetime-local`; `undefined` for an age. */
function fieldValue(moment: string | undefined): string | undefined {
  const milliseconds = Date.parse(moment ?? "")
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString().slice(0, 19)
}

function momentOf(field: HTMLInputElement | null): string | undefined {
  const milliseconds = Date.parse(`${field?.value}Z`)
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString()
}

function rangeText(since: string | undefined, until: string | undefined): string {
  const [from, to] = [shortMoment(since), shortMoment(until)]
  if (to === undefined) return `Since ${from}`
  return from === undefined ? `Until ${to}` : `${from} – ${to}`
}

function shortMoment(text: string | undefined): string | undefined {
  return fieldValue(text)?.slice(5).replace("T", " ") ?? text
}
