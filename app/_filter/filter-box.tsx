"use client"

import { useId, useRef } from "react"
import { WarningIcon } from "#app/_ui/format/icons.tsx"
import { shownText } from "#app/_ui/format/text.ts"
import { FILTER_LENGTH_LIMIT, type FilterProblem } from "#otel/inspector/queries/filters.ts"
import { LANGUAGES } from "./language.ts"
import type { ListPath } from "./list-address.ts"
import styles from "./filter-box.module.css"
import { SuggestionList } from "./suggestion-list.tsx"
import { useFilterField } from "./use-filter-field.ts"
import { useFocusKey } from "./use-focus-key.ts"

interface FilterBoxProps {
  readonly path: ListPath
  readonly filter: string
  /** Parse error from the server. */
  readonly problem: FilterProblem | undefined
  /** Where a screen has more than one: the parameter and the label. The key `/` then focuses none of them. */
  readonly field?: { readonly name: string; readonly label: string }
}

const ONLY_FIELD = { name: "q", label: "Filter" }

/**
 * The filter input: a combobox that suggests fields and attributes, then the values stored for them.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function FilterBox({ path, filter, problem: served, field }: FilterBoxProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const { text, problem, suggestions, isOpen, active, choose, suggestAt, close, onChange, onKeyDown } = useFilterField(
    input,
    LANGUAGES[path],
    filter,
    served,
  )
  useFocusKey(field === undefined ? "/" : undefined, input)
  const { name, label } = field ?? ONLY_FIELD
  return (
    <div className={styles.box}>
      <input
        ref={input}
        name={name}
        value={text}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}list` : undefined}
        aria-activedescendant={isOpen && active >= 0 ? `${id}list${active}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}problem`}
        placeholder={LANGUAGES[path].placeholder}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={FILTER_LENGTH_LIMIT}
        onChange={onChange}
        onClick={({ currentTarget }) => suggestAt(currentTarget.selectionStart ?? text.length)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      {field === undefined && <kbd aria-hidden="true">/</kbd>}
      {isOpen && <SuggestionList id={`${id}list`} suggestions={suggestions} active={active} onChoose={choose} />}
      {problem !== undefined && (
        <p id={`${id}problem`} role="alert" className={styles.problem}>
          <WarningIcon /> {shownText(problem.message)}
          <span> (at character {problem.start + 1})</span>
        </p>
      )}
    </div>
  )
}
