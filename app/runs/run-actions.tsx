"use client"

import { useRunAction } from "#app/runs/use-run-action.ts"
import { shownText } from "#app/ui/shown-text.ts"

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
