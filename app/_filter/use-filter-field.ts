"use client"

import { type ChangeEvent, type KeyboardEvent, type RefObject, useState } from "react"
import { completed, completingAt, type FilterProblem } from "#otel/inspector/queries/filters.ts"
import type { Language } from "./language.ts"
import { type Suggestion, useSuggestions } from "./use-suggestions.ts"

const NONE = -1

/** State of the filter input: text, suggestions at the cursor, and parse error. */
export function useFilterField(
  input: RefObject<HTMLInputElement | null>,
  language: Language,
  filter: string,
  served: FilterProblem | undefined,
) {
  const [text, setText] = useState(filter)
  /** Cursor position while suggestions are open. */
  const [cursor, setCursor] = useState<number>()
  const [active, setActive] = useState(NONE)
  const [problem, setProblem] = useState(served)
  const suggestions = useSuggestions(cursor === undefined ? undefined : completingAt(text, cursor), language)

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
  /** Parses the text and selects the part with an error, if any. */
  const isValid = (): boolean => {
    const found = language.parse(text).problem
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
    else if (event.key !== "Enter" || isValid()) return
    event.preventDefault()
  }
  const isOpen = cursor !== undefined && suggestions.length > 0
  return { text, problem, suggestions, isOpen, active, choose, suggestAt, close, onChange, onKeyDown }
}

/** Wraps around, with one extra position for the input itself. */
function stepped(active: number, by: number, count: number): number {
  return ((active + 1 + by + count + 1) % (count + 1)) - 1
}
