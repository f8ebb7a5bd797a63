"use client"

import { type FormEvent, useState } from "react"
import { useRunAction } from "#app/runs/use-run-action.ts"
import { WarningIcon } from "#app/ui/icons.tsx"
import { shownText } from "#app/ui/shown-text.ts"
import styles from "./runs.module.css"

/** Names what comes from now on, until it is ended. */
export function StartRun() {
  const { keep, pending, problem } = useRunAction()
  const [name, setName] = useState("")
  const [filter, setFilter] = useState("")
  const submit = (event: FormEvent) => {
    event.preventDefault()
    keep({ name: name.trim(), filter: filter.trim() })
    setName("")
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <label>
        Name
        <input
          value={name}
          required
          maxLength={100}
          placeholder="before-the-change"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        Only traces that pass
        <input
          value={filter}
          maxLength={2_000}
          placeholder="all: no filter"
          onChange={(event) => setFilter(event.target.value)}
        />
      </label>
      <button type="submit" disabled={pending}>
        Start a run now
      </button>
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          <WarningIcon /> {shownText(problem)}
        </p>
      )}
    </form>
  )
}
