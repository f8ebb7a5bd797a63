"use client"

import { useRouter } from "next/navigation"
import { useState, useTransition, type FormEvent } from "react"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import styles from "./runs.module.css"

/** What changes runs, with what the server said against it. */
export function useRunAction() {
  const router = useRouter()
  const [problem, setProblem] = useState<string>()
  const [pending, startTransition] = useTransition()
  const act = (method: "POST" | "DELETE", address: string, body?: object) =>
    startTransition(async () => {
      setProblem(await refusal(method, address, body))
      router.refresh()
    })
  return {
    problem,
    pending,
    keep: (run: { name: string; filter?: string; since?: string; until?: string }) => act("POST", "/api/runs", run),
    end: (name: string) => act("POST", "/api/runs", { name, end: true }),
    remove: (name: string) => act("DELETE", `/api/runs/${encodeURIComponent(name)}`),
  }
}

/** `undefined` when it was done. */
async function refusal(method: string, address: string, body: object | undefined): Promise<string | undefined> {
  try {
    const response = await fetch(address, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    })
    if (response.ok) return undefined
    const { message } = (await response.json()) as { message?: string }
    return message ?? `The server answered ${response.status}.`
  } catch {
    return "The server could not be reached."
  }
}

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

export function RunActions({ name, goesOn }: { name: string; goesOn: boolean }) {
  const { end, remove, pending, problem } = useRunAction()
  return (
    <>
      {goesOn && (
        <button type="button" disabled={pending} onClick={() => end(name)}>
          End now<span className="visually-hidden"> {shownText(name)}</span>
        </button>
      )}
      <button type="button" disabled={pending} onClick={() => remove(name)}>
        Remove<span className="visually-hidden"> {shownText(name)}</span>
      </button>
      {problem !== undefined && <output>{shownText(problem)}</output>}
    </>
  )
}

/** What a name may not hold, so that the suggestion is one that will be taken. */
const ODD = /[^\p{L}\p{N}._:/@+-]+/gu

/** Gives a start a name of its own, which is what comparing needs. */
export function RetainStart({ filter, suggested }: { filter: string; suggested: string }) {
  const { keep, pending, problem } = useRunAction()
  const [name, setName] = useState<string>()
  if (name === undefined)
    return (
      <button type="button" onClick={() => setName(suggested.replaceAll(ODD, "-").slice(0, 100))}>
        Keep as a run
      </button>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    keep({ name, filter, since: "1970-01-01T00:00:00Z" })
    setName(undefined)
  }
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Name of the run"
        value={name}
        required
        maxLength={100}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit" disabled={pending}>
        Keep
      </button>
      {problem !== undefined && <output>{shownText(problem)}</output>}
    </form>
  )
}
