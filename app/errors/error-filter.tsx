import Form from "next/form"
import type { IssueListQuery } from "#otel/inspector/queries/errors/issue.ts"
import { ERROR_LEVELS } from "#otel/inspector/queries/records.ts"

/** Parameters of the list that the form has no field for. */
const HIDDEN = ["service", "since", "until", "sort", "own"]

/** The URL holds the filters: a form that works with and without script. */
export function ErrorFilter({ parameters, query }: { parameters: URLSearchParams; query: IssueListQuery }) {
  const hidden = HIDDEN.flatMap((name) => {
    const value = parameters.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return (
    <search aria-label="Filter errors">
      <Form action="/errors" prefetch={false}>
        {hidden.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <input
          key={`q ${query.search}`}
          type="search"
          name="q"
          aria-label="Error, route or release"
          placeholder="Error, route or release"
          defaultValue={query.search}
          autoComplete="off"
          spellCheck={false}
        />
        <select key={`level ${query.level}`} name="level" aria-label="Level" defaultValue={query.level ?? ""}>
          <option value="">Any level</option>
          {ERROR_LEVELS.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
        <select
          key={`handled ${query.handled}`}
          name="handled"
          aria-label="Handled"
          defaultValue={query.handled === undefined ? "" : query.handled ? "yes" : "no"}
        >
          <option value="">Handled: any</option>
          <option value="no">Unhandled</option>
          <option value="yes">Handled</option>
        </select>
        <button type="submit">Filter</button>
      </Form>
    </search>
  )
}
