"use client"

import { useRouter } from "next/navigation"
import { useRef } from "react"
import { useZone } from "#app/_ui/format/use-zone.tsx"
import { momentInZone, type Zone, zonedText } from "#app/_ui/format/zone.ts"
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

/** Time range of a list: its address holds the choice. */
export function TimeRange({ path, place }: { path: ListPath; place: ListPlace }) {
  const router = useRouter()
  // A region belongs to the time range that it was selected in.
  const bare = { ...place, after: undefined, baseline: undefined }
  return (
    <RangeField
      since={place.since}
      until={place.until}
      window={LANGUAGES[path].window}
      names={LIST_NAMES}
      onChoose={(since, until) => router.push(listAddress({ ...bare, since, until }, path))}
    />
  )
}

/**
 * The value of a range without a start, which differs from that of any time. Without script it is submitted as the start: a
 * space, which counts as none.
 */
const NO_START = " "

const LIST_NAMES = { since: "since", until: "until", label: "Time" }

interface RangeFieldProps {
  readonly since: string | undefined
  readonly until: string | undefined
  /** The range without a choice, such as `24h`; `undefined` for any time. */
  readonly window?: string | undefined
  /** Names of the form's fields, and the label of the choice. */
  readonly names: { readonly since: string; readonly until: string; readonly label: string }
  readonly onChoose: (since: string | undefined, until: string | undefined) => void
}

/** Time range: a relative age, or two absolute times in the visitor's zone. */
export function RangeField({ since: given, until, window, names, onChoose }: RangeFieldProps) {
  const since = given === window ? undefined : given
  const zone = useZone()
  const details = useRef<HTMLDetailsElement>(null)
  const from = useRef<HTMLInputElement>(null)
  const to = useRef<HTMLInputElement>(null)
  const isAge = until === undefined && AGES.some(([age]) => age === since)
  const isChosen = !isAge && (since !== undefined || until !== undefined)
  const apply = () => {
    if (details.current !== null) details.current.open = false
    onChoose(momentOf(from.current, zone), momentOf(to.current, zone))
  }
  return (
    <div className={styles.range}>
      <label>
        <span className="visually-hidden">{names.label}</span>
        <select
          name={names.since}
          defaultValue={since ?? (isChosen ? NO_START : "")}
          onChange={({ target }) => onChoose(target.value.trim() || undefined, undefined)}
        >
          <option value="">{AGES.find(([age]) => age === window)?.[1] ?? "Any time"}</option>
          {AGES.filter(([age]) => age !== window).map(([age, label]) => (
            <option key={age} value={age}>
              {label}
            </option>
          ))}
          {isChosen && <option value={since ?? NO_START}>{rangeText(since, until, zone)}</option>}
        </select>
      </label>
      {until !== undefined && <input type="hidden" name={names.until} value={until} />}
      <details ref={details} className={styles.moments}>
        <summary title={`From and to, in ${zone}`}>Custom range</summary>
        <div>
          <label>
            From ({zone})
            <input ref={from} type="datetime-local" step="1" defaultValue={fieldValue(since, zone)} />
          </label>
          <label>
            To ({zone})
            <input ref={to} type="datetime-local" step="1" defaultValue={fieldValue(until, zone)} />
          </label>
          <button type="button" onClick={apply}>
            Apply
          </button>
        </div>
      </details>
    </div>
  )
}

/** An age of the time range, such as `48h`. */
const AGE = /^\d+[smhd]$/

/** A moment in the format of `datetime-local`; `undefined` for an age. */
function fieldValue(moment: string | undefined, zone: Zone): string | undefined {
  const milliseconds = Date.parse(moment ?? "")
  return Number.isNaN(milliseconds) ? undefined : zonedText(milliseconds, zone).replace(" ", "T")
}

function momentOf(field: HTMLInputElement | null, zone: Zone): string | undefined {
  const milliseconds = momentInZone(field?.value ?? "", zone)
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString()
}

function rangeText(since: string | undefined, until: string | undefined, zone: Zone): string {
  const [from, to] = [shortMoment(since, zone), shortMoment(until, zone)]
  if (to === undefined) return AGE.test(since ?? "") ? `Last ${from}` : `Since ${from}`
  if (AGE.test(since ?? "") && AGE.test(until ?? "")) return `${from} to ${to} ago`
  return from === undefined ? `Until ${to}` : `${from} – ${to}`
}

function shortMoment(text: string | undefined, zone: Zone): string | undefined {
  return fieldValue(text, zone)?.slice(5).replace("T", " ") ?? text
}
