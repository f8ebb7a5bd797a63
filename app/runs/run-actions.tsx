"use client"

import { useRouter } from "next/navigation"
import { type FormEvent, useState, useTransition } from "react"
import { sendAction } from "#app/_live/send-action.ts"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import styles from "./runs.module.css"

/** Creates, ends and removes runs, and holds the error of the last request. */
export function useRunAction() {
  const router = useRouter()
  const [error, setError] = useState<string>()
  const [pending, startTransition] = useTransition()
  const act = (method: "POST" | "DELETE", address: string, body?: object, onSuccess?: () => void) =>
    startTransition(async () => {
      const problem = await sendAction(method, address, body)
      setError(problem)
      if (problem === undefined) onSuccess?.()
      router.refresh()
    })
  return {
    error,
    pending,
    create: (run: { name: string; filter?: string; since?: string; until?: string }, onSuccess: () => void) =>
      act("POST", "/api/runs", run, onSuccess),
    end: (name: string) => act("POST", "/api/runs", { name, end: true }),
    remove: (name: string) => act("DELETE", `/api/runs/${encodeURIComponent(name)}`),
  }
}

/** Starts a named run, which records until it is ended. */
export function StartRun() {
  const { create, pending, error } = useRunAction()
  const [name, setName] = useState("")
  const [filter, setFilter] = useState("")
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create({ name: name.trim(), filter: filter.trim() }, () => setName(""))
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <label>
        Name
        <input
          value={name}
          required
          maxLength={100}
          placeholder="before-refactoring"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        Filter
        <input
          value={filter}
          maxLength={2_000}
          placeholder="All traces"
          onChange={(event) => setFilter(event.target.value)}
        />
      </label>
      <button type="submit" disabled={pending}>
        Start run
      </button>
      {error !== undefined && (
        <p role="alert" className={styles.problem}>
          <WarningIcon /> {shownText(error)}
        </p>
      )}
    </form>
  )
}

export function RunActions({ name, isOngoing }: { name: string; isOngoing: boolean }) {
  const { end, remove, pending, error } = useRunAction()
  return (
    <>
      {isOngoing && (
        <button type="button" disabled={pending} onClick={() => end(name)}>
          End<span className="visually-hidden"> {shownText(name)}</span>
        </button>
      )}
      <button type="button" disabled={pending} onClick={() => remove(name)}>
        Remove<span className="visually-hidden"> {shownText(name)}</span>
      </button>
      {error !== undefined && <output>{shownText(error)}</output>}
    </>
  )
}

/** Characters that a run name must not contain, and those that it must not begin with. */
const INVALID = /[^\p{L}\p{N}._:/@+-]+/gu
const INVALID_START = /^[^\p{L}\p{N}]+/u

/** A valid name of a run that resembles the text; empty for a text without letters and digits. */
export function suggestedName(text: string): string {
  return text.replace(INVALID_START, "").slice(0, 100).replaceAll(INVALID, "-")
}

/** Saves an instance as a named run, which can then be compared. */
export function RetainStart({ filter, suggested }: { filter: string; suggested: string }) {
  const { create, pending, error } = useRunAction()
  const [name, setName] = useState<string>()
  if (name === undefined)
    return (
      <button type="button" onClick={() => setName(suggestedName(suggested))}>
        Save as run
      </button>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create({ name, filter, since: "1970-01-01T00:00:00Z" }, () => setName(undefined))
  }
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Run name"
        value={name}
        required
        maxLength={100}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" disabled={pending}>
        Save
      </button>
      {error !== undefined && <output>{shownText(error)}</output>}
    </form>
  )
}
