"use client"

import Link from "next/link"
import { type KeyboardEvent, useId, useRef, useState } from "react"
import { sendAction } from "#app/_live/send-action.ts"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import {
  FILTER_NAME_LIMIT,
  type FilterScreen,
  type SavedFilterJson,
} from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import styles from "./saved-filters.module.css"

interface SavedFiltersProps {
  readonly screen: FilterScreen
  /** What the screen shows now. */
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * The saved filters of a screen, and a field that saves the current one under a name. It is inside the form of a filter bar,
 * so it has no form of its own.
 */
export function SavedFilters({ screen, parameters }: SavedFiltersProps) {
  const details = useRef<HTMLDetailsElement>(null)
  const [filters, setFilters] = useState<readonly SavedFilterJson[]>()
  const [message, setMessage] = useState<Message>()
  const read = async () => {
    const found = await readFilters(screen)
    if (found === undefined) setMessage({ text: "The saved filters could not be loaded.", isError: true })
    else setFilters(found)
  }
  const toggle = () => {
    if (details.current?.open !== true) return
    setMessage(undefined)
    void read()
  }
  const close = () => {
    if (details.current !== null) details.current.open = false
  }
  const save = async (name: string) => {
    const error = await sendAction("POST", "/api/filters", { name, screen, parameters })
    setMessage(error === undefined ? { text: `Saved “${name}”.`, isError: false } : { text: error, isError: true })
    if (error === undefined) await read()
    return error === undefined
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== "Escape") return
    close()
    details.current?.querySelector("summary")?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it, as it closes a menu
    <details ref={details} className={styles.menu} onToggle={toggle} onKeyDown={onKeyDown}>
      <summary>Saved filters</summary>
      <div>
        {filters !== undefined && filters.length > 0 && (
          <ul aria-label={`Saved filters of ${screen}`}>
            {filters.map(({ id, name, address }) => (
              <li key={id}>
                <Link href={address} prefetch={false} onClick={close} title={shownName(name)}>
                  <bdi>{shownName(name)}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        )}
        {Object.keys(parameters).length > 0 ? (
          <NameField onSave={save} />
        ) : (
          <p>Filter the list, and save the filter here under a name.</p>
        )}
        {message !== undefined && <MessageLine {...message} />}
        <p>
          <Link href="/filters" prefetch={false}>
            All saved filters and watches
          </Link>
        </p>
      </div>
    </details>
  )
}

interface Message {
  readonly text: string
  readonly isError: boolean
}

function MessageLine({ text, isError }: Message) {
  if (!isError) return <output>{shownText(text)}</output>
  return (
    <p role="alert" className={styles.problem}>
      <WarningIcon /> {shownText(text)}
    </p>
  )
}

/** Saves on Enter or by its button. `onSave` resolves with whether it succeeded. */
function NameField({ onSave }: { onSave: (name: string) => Promise<boolean> }) {
  const id = useId()
  const [name, setName] = useState("")
  const [isSaving, setSaving] = useState(false)
  const save = async () => {
    if (name.trim() === "" || isSaving) return
    setSaving(true)
    if (await onSave(name.trim())) setName("")
    setSaving(false)
  }
  return (
    <div className={styles.name}>
      <label htmlFor={id}>Save this filter as</label>
      <input
        id={id}
        value={name}
        maxLength={FILTER_NAME_LIMIT}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return
          // It must not submit the form around it.
          event.preventDefault()
          void save()
        }}
      />
      <button type="button" disabled={isSaving} onClick={() => void save()}>
        Save
      </button>
    </div>
  )
}

async function readFilters(screen: FilterScreen): Promise<readonly SavedFilterJson[] | undefined> {
  try {
    const response = await fetch("/api/filters")
    if (!response.ok) return undefined
    const { filters } = (await response.json()) as { filters: readonly SavedFilterJson[] }
    return filters.filter((filter) => filter.screen === screen)
  } catch {
    return undefined
  }
}
