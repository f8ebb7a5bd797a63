import Form from "next/form"
import { shownName } from "#app/_ui/format/text.ts"
import { termText } from "#otel/inspector/queries/filters.ts"
import styles from "./runs.module.css"

/** Selects the two runs to compare. */
export function ComparePicker({ names }: { names: readonly string[] }) {
  if (names.length < 2) return null
  return (
    <section aria-labelledby="compare">
      <h2 id="compare">Compare</h2>
      <Form action="/compare" prefetch={false} className={styles.form}>
        <Choice label="Baseline" name="a" names={names} />
        <Choice label="Current" name="b" names={names} />
        <button type="submit">Compare</button>
      </Form>
    </section>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: string
  readonly names: readonly string[]
}

function Choice({ label, name, names }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} required>
        <option value="">Choose a run</option>
        {names.map((known) => (
          <option key={known} value={termText("run", known)}>
            {shownName(known)}
          </option>
        ))}
      </select>
    </label>
  )
}
