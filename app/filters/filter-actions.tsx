"use client"

import { useRouter } from "next/navigation"
import { type FormEvent, useState, useTransition } from "react"
import { sendAction } from "#app/_live/send-action.ts"
import { useLiveStatus } from "#app/_live/use-live.ts"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { WatchMark } from "#app/_watch/watch-mark.tsx"
import { measureName, thresholdText } from "#app/_watch/watch-text.ts"
import { WatchForm } from "#app/filters/watch-form.tsx"
import {
  FILTER_NAME_LIMIT,
  type SavedFilterJson,
  SCREEN_MEASURES,
  type Watch,
} from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import styles from "./filters.module.css"

/** The watch of a saved filter, and what can be done with the filter. */
export function FilterActions({ filter }: { filter: SavedFilterJson }) {
  const { name, watch } = filter
  const { error, pending, change, remove } = useFilterChange(filter)
  const [editing, setEditing] = useState<"name" | "watch">()
  const done = () => setEditing(undefined)
  const hidden = <span className="visually-hidden"> {shownName(name)}</span>
  const onWatch = (next: Watch) => change({ watch: next }, done)
  return (
    <>
      {watch !== null && <WatchLine filter={filter} watch={watch} />}
      {editing === "name" && <NameForm name={name} pending={pending} onSave={(next) => change({ name: next }, done)} />}
      {editing === "watch" && (
        <WatchForm screen={filter.screen} watch={watch} pending={pending} onSave={onWatch} onCancel={done} />
      )}
      <div className={styles.actions}>
        <button type="button" disabled={pending} onClick={() => setEditing(editing === "name" ? undefined : "name")}>
          Rename{hidden}
        </button>
        {SCREEN_MEASURES[filter.screen].length > 0 && (
          <button
            type="button"
            disabled={pending}
            onClick={() => setEditing(editing === "watch" ? undefined : "watch")}
          >
            {watch === null ? "Watch" : "Edit watch"}
            {hidden}
          </button>
        )}
        {watch !== null && (
          <button type="button" disabled={pending} onClick={() => change({ watch: null }, done)}>
            Stop watching{hidden}
          </button>
        )}
        <button type="button" disabled={pending} onClick={remove}>
          Delete{hidden}
        </button>
      </div>
      {error !== undefined && (
        <p role="alert" className={styles.problem}>
          <WarningIcon /> {shownText(error)}
        </p>
      )}
    </>
  )
}

/** Changes and removes a filter, and holds the error of the last request. */
function useFilterChange({ id, name, screen, parameters, watch }: SavedFilterJson) {
  const router = useRouter()
  const [error, setError] = useState<string>()
  const [pending, startTransition] = useTransition()
  const act = (request: () => Promise<string | undefined>, done?: () => void) =>
    startTransition(async () => {
      const problem = await request()
      setError(problem)
      if (problem !== undefined) return
      done?.()
      router.refresh()
    })
  return {
    error,
    pending,
    change: (changed: { readonly name?: string; readonly watch?: Watch | null }, done: () => void) =>
      act(() => sendAction("POST", "/api/filters", { id, name, screen, parameters, watch, ...changed }), done),
    remove: () => act(() => sendAction("DELETE", `/api/filters/${id}`)),
  }
}

function WatchLine({ filter, watch }: { filter: SavedFilterJson; watch: Watch }) {
  const { watches } = useLiveStatus()
  return (
    <div className={styles.watch}>
      <span>
        {measureName(watch.measure, filter.screen)} {thresholdText(watch)}
      </span>
      <WatchMark state={watches.find(({ id }) => id === filter.id)} />
      {filter.assert !== null && (
        <span className={styles.command}>
          <code>{shownText(filter.assert)}</code>
          <CopyButton text={filter.assert} what="command for CI" />
        </span>
      )}
    </div>
  )
}

interface NameFormProps {
  readonly name: string
  readonly pending: boolean
  readonly onSave: (name: string) => void
}

function NameForm({ name, pending, onSave }: NameFormProps) {
  const [text, setText] = useState(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSave(text.trim())
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <label>
        Name
        <input
          value={text}
          required
          maxLength={FILTER_NAME_LIMIT}
          autoComplete="off"
          // Its button was pressed to type here.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button type="submit" disabled={pending}>
        Save
      </button>
    </form>
  )
}
