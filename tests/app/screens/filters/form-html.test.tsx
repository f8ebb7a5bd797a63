import { renderToString } from "react-dom/server"
import { expect, it, vi } from "vitest"
import { RangeField } from "#app/_filter/time-range.tsx"
import { ErrorFilter } from "#app/errors/error-filter.tsx"
import { parseIssueListQuery } from "#otel/inspector/queries/errors/issue-list-query.ts"
import { parseTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"

/** Next's hooks have no router here. */
vi.mock("next/navigation", () => ({ useRouter: () => ({ push: () => undefined }) }))

const names = { since: "since", until: "until", label: "Time" }
const selected = (since: string | undefined, until: string | undefined) => {
  const html = renderToString(<RangeField since={since} until={until} names={names} onChoose={() => undefined} />)
  const [, value, text] = /<option value="([^"]*)" selected="">([^<]*)/.exec(html) ?? []
  return { value, text }
}

it.each([
  [undefined, undefined, "Any time"],
  ["1h", undefined, "Last hour"],
  ["2026-01-31T12:00:00Z", undefined, "Since 01-31 12:00:00"],
  [undefined, "2026-01-31T12:00:00Z", "Until 01-31 12:00:00"],
  ["2026-01-31T11:00:00Z", "2026-01-31T12:00:00Z", "01-31 11:00:00 – 01-31 12:00:00"],
])("the time range from %s until %s is shown as %s", (since, until, text) => {
  expect(selected(since, until).text).toBe(text)
})

it("a form that is sent without script keeps an end without a start", () => {
  const until = "2026-01-31T12:00:00Z"
  const { value = "" } = selected(undefined, until)
  expect(parseTraceListQuery(new URLSearchParams({ since: value, until }), Date.now())).toMatchObject({
    since: undefined,
    until,
    notices: [],
  })
})

it("the filter of errors keeps every parameter of the list that it has no field for", () => {
  const parameters = new URLSearchParams("service=shop&since=2d&until=1d&sort=count&own=show&q=boom&after=x")
  const { query } = parseIssueListQuery(parameters, Date.now())
  const html = renderToString(<ErrorFilter parameters={parameters} query={query} />)
  const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  expect(hidden.map(([, name, value]) => `${name}=${value}`)).toEqual([
    "service=shop",
    "since=2d",
    "until=1d",
    "sort=count",
    "own=show",
  ])
})
