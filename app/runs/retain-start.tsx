"use client"

import { type FormEvent, useState } from "react"
import { useRunAction } from "#app/runs/use-run-action.ts"
import { shownText } from "#app/ui/shown-text.ts"

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
