"use client"

import { type ChangeEvent, type KeyboardEvent, type RefObject, useState } from "react"
import { type Suggestion, useSuggestions } from "./use-suggestions.ts"
import { completed, completingAt, type FilterProblem, parseFilter } from "#otel/inspector/search/index.ts"

const NONE = -1

/** The filter while it is written: its text, what is suggested at the cursor, and what cannot be read of it. */
export function useFilterField(
  input: RefObject<HTMLInputElement | null>,
  filter: string,
  served: FilterProblem | undefined,
) {
  const [text, setText] = useState(filter)
  /** Where the cursor is while suggestions are wanted. */
  const [cursor, setCursor] = useState<number>()
  const [active, setActive] = useState(NONE)
  const [problem, setProblem] = useState(served)
  const suggestions = useSuggestions(cursor === undefined ? undefined : completingAt(text, cursor))

  const suggestAt = (place: number | undefined) => {
    setCursor(place)
    setActive(NONE)
  }
  const close = () => suggestAt(undefined)
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setText(target.value)
    setProblem(undefined)
    suggestAt(target.selectionStart ?? target.value.length)
  }
  const choose = ({ insert }: Suggestion) => {
    if (cursor === undefined) return
    const next = completed(text, completingAt(text, cursor).place, insert)
    setText(next.text)
    suggestAt(next.cursor)
    requestAnimationFrame(() => input.current?.setSelectionRange(next.cursor, next.cursor))
  }
  /** Marks the part of the text that cannot be read, if there is one. */
  const isReadable = (): boolean => {
    const found = parseFilter(text).problem
    setProblem(found)
    close()
    if (found !== undefined) input.current?.setSelectionRange(found.start, found.end)
    return found === undefined
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    const chosen = suggestions[active]
    if (step !== 0) {
      if (cursor === undefined) suggestAt(event.currentTarget.selectionStart ?? text.length)
      else setActive(stepped(active, step, suggestions.length))
    } else if (chosen !== undefined && (event.key === "Enter" || event.key === "Tab")) choose(chosen)
    else if (event.key === "Escape" && cursor !== undefined) close()
    else if (event.key === "Escape") event.currentTarget.blur()
    else if (event.key !== "Enter" || isReadable()) return
    event.preventDefault()
  }
  const isOpen = cursor !== undefined && suggestions.length > 0
  return { text, problem, suggestions, isOpen, active, choose, suggestAt, close, onChange, onKeyDown }
}

/** Around, with one place more: in the field itself. */
function stepped(active: number, by: number, count: number): number {
  return ((active + 1 + by + count + 1) % (count + 1)) - 1
}
