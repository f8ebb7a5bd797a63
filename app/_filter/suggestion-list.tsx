/* oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-to-interactive-role -- a datalist suggests for a whole field, not for the word at the cursor */
import { shownName } from "#app/_ui/format/text.ts"
import styles from "./filter-box.module.css"
import type { Suggestion } from "./use-suggestions.ts"

interface SuggestionListProps {
  /** Id of the list, and prefix of the option ids. */
  readonly id: string
  readonly suggestions: readonly Suggestion[]
  readonly active: number
  readonly onChoose: (suggestion: Suggestion) => void
}

export function SuggestionList({ id, suggestions, active, onChoose }: SuggestionListProps) {
  return (
    <ul id={id} role="listbox" aria-label="Suggestions" className={styles.list}>
      {suggestions.map((suggestion, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the keys and the focus are the field's
        <li
          key={suggestion.insert}
          id={`${id}${index}`}
          role="option"
          aria-selected={index === active}
          // Keeps focus and cursor in the input.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(suggestion)}
        >
          <bdi>{shownName(suggestion.label)}</bdi>
          <span>{suggestion.about}</span>
        </li>
      ))}
    </ul>
  )
}
