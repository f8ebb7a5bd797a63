import Form from "next/form"
import { shownName } from "#app/_ui/format/text.ts"
import styles from "./runs.module.css"

/** Selects the two runs to compare. The URL holds the choice. */
export function ComparePicker({ names, a, b }: { names: readonly string[]; a: string; b: string }) {
  if (names.length < 2) return null
  return (
    <section aria-labelledby="compare">
      <h2 id="compare">Compare</h2>
      <Form action="/runs" className={styles.form}>
        <Choice label="Current" name="a" names={names} chosen={a} />
        <Choice label="Baseline" name="b" names={names} chosen={b} />
        <button type="submit">Compare</button>
      </Form>
    </section>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly name: string
  readonly names: readonly string[]
  readonly chosen: string
}

function Choice({ label, name, names, chosen }: ChoiceProps) {
  return (
    <label>
      {label}
      <select key={chosen} name={name} defaultValue={chosen} required>
        <option value="">Choose a run</option>
        {names.map((known) => (
          <option key={known} value={known}>
            {shownName(known)}
          </option>
        ))}
      </select>
    </label>
  )
}
