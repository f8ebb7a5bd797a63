"use client"

import { type FormEvent, useState } from "react"
import { measureName } from "#app/_watch/watch-text.ts"
import {
  type FilterScreen,
  SCREEN_MEASURES,
  type Watch,
  WATCH_MEASURES,
  type WatchMeasure,
} from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import styles from "./filters.module.css"

const WINDOWS = [
  ["5m", "5 minutes"],
  ["15m", "15 minutes"],
  ["1h", "hour"],
  ["6h", "6 hours"],
  ["24h", "24 hours"],
] as const

const UNITS: Readonly<Record<WatchMeasure, string>> = { count: "", failed: "%", p95: "ms" }
const DEFAULTS: Readonly<Record<WatchMeasure, number>> = { count: 0, failed: 5, p95: 1_000 }

interface WatchFormProps {
  readonly screen: FilterScreen
  /** The watch to edit; `null` for a new one. */
  readonly watch: Watch | null
  readonly pending: boolean
  readonly onSave: (watch: Watch) => void
  readonly onCancel: () => void
}

/** What is measured, over which time, and above which value the watch trips. */
export function WatchForm({ screen, watch, pending, onSave, onCancel }: WatchFormProps) {
  const [measure, setMeasure] = useState<WatchMeasure>(watch?.measure ?? "count")
  const [above, setAbove] = useState(String(watch?.above ?? DEFAULTS.count))
  const [window, setWindow] = useState(watch?.window ?? "15m")
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSave({ measure, above: Number(above), window })
  }
  const choose = (text: string) => {
    const chosen = WATCH_MEASURES.find((each) => each === text) ?? "count"
    setMeasure(chosen)
    setAbove(String(DEFAULTS[chosen]))
  }
  const isListed = WINDOWS.some(([age]) => age === window)
  return (
    <form className={styles.form} onSubmit={submit}>
      <label>
        Measure
        <select value={measure} onChange={({ target }) => choose(target.value)}>
          {SCREEN_MEASURES[screen].map((each) => (
            <option key={each} value={each}>
              {measureName(each, screen)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Above{UNITS[measure] !== "" && ` (${UNITS[measure]})`}
        <input
          type="number"
          required
          min={0}
          max={measure === "failed" ? 99.9 : undefined}
          step={measure === "count" ? 1 : "any"}
          value={above}
          onChange={({ target }) => setAbove(target.value)}
        />
      </label>
      <label>
        In the last
        <select value={window} onChange={({ target }) => setWindow(target.value)}>
          {!isListed && <option value={window}>{window}</option>}
          {WINDOWS.map(([age, label]) => (
            <option key={age} value={age}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={pending}>
        {watch === null ? "Start watching" : "Save watch"}
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  )
}
