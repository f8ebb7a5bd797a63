import type { AppComparison } from "./compare-app.ts"
import type { Finding } from "./comparison/compare.ts"
import type { EndToEnd, EndToEndRun } from "./end-to-end.ts"

/** Head of the table in `docs/reference/compatibility.md`. */
export const TABLE_HEAD = [
  "| app | bundler | what it has | views that show the same | new console lines | roots with the router's route | one trace with the server | errors sent once | own end-to-end tests passed |",
  "|---|---|---|---|---|---|---|---|---|",
]

/** The first cells of a row. */
interface Compared {
  readonly name: string
  readonly bundler: string
  readonly features: readonly string[]
  /** What the row says where no tests of the app's own ran. Default: `not run`. */
  readonly withoutTests?: "none" | "not run"
}

/** The app's row of that table. */
export function tableRow(
  { name, bundler, features, withoutTests = "not run" }: Compared,
  compared: AppComparison,
): string {
  const { html, console, names, traces, errors, endToEnd } = compared
  const cells = [
    name,
    bundler,
    features.join(", "),
    ratio(html),
    String(console.wrong.length),
    ...[names, traces, errors].map(ratio),
    endToEnd === undefined ? withoutTests : passedOf(endToEnd),
  ]
  return `| ${cells.join(" | ")} |`
}

/** The row of an app that could not be compared. */
export function rowOfObstacle({ name, bundler, features }: Compared, obstacle: string): string {
  return `| ${[name, bundler, features.join(", "), obstacle, ...Array<string>(5).fill("")].join(" | ")} |`
}

function ratio({ right, of }: Finding): string {
  return `${right} of ${of}`
}

function passedOf({ without, adopted }: EndToEnd): string {
  const [before, after] = [without, adopted].map(({ passed, failed }) => `${passed} of ${passed + failed}`)
  return before === after ? after! : `${after}, ${before} without Pagespan`
}

/** A line for each thing that differs or is missing. */
export function problems({ html, console, names, traces, errors, left, endToEnd }: AppComparison): string[] {
  const found = Object.entries({ html, console, names, traces, errors })
  return [
    ...found.flatMap(([what, { wrong }]) => wrong.map((each) => `${what}: ${each}`)),
    ...left.map((each) => `init left to the owner: ${each}`),
    ...(endToEnd === undefined ? [] : problemsOfTests(endToEnd)),
  ]
}

/** The output of the app's own tests, if they ended otherwise than without Pagespan or failed in both. */
function problemsOfTests({ without, adopted }: EndToEnd): string[] {
  if (adopted.failed === 0 && isSame(without, adopted)) return []
  return [`end-to-end tests without Pagespan:\n${without.output}`, `end-to-end tests with it:\n${adopted.output}`]
}

function isSame(a: EndToEndRun, b: EndToEndRun): boolean {
  return a.passed === b.passed && a.failed === b.failed
}

export function isRight({ html, console, names, traces, errors, endToEnd }: AppComparison): boolean {
  const isWithoutProblem = [html, console, names, traces, errors].every(({ wrong }) => wrong.length === 0)
  return isWithoutProblem && (endToEnd === undefined || isSame(endToEnd.without, endToEnd.adopted))
}
