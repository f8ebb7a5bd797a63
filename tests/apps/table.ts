import type { AppComparison } from "./compare-app.ts"
import type { Finding } from "./comparison/compare.ts"

/** Head of the table in `docs/reference/compatibility.md`. */
export const TABLE_HEAD = [
  "| app | what it has | views that show the same | new console lines | roots with the router's route | one trace with the server | errors sent once |",
  "|---|---|---|---|---|---|---|",
]

/** The app's row of that table. */
export function tableRow(name: string, features: readonly string[], compared: AppComparison): string {
  const { html, console, names, traces, errors } = compared
  const cells = [
    name,
    features.join(", "),
    ratio(html),
    String(console.wrong.length),
    ...[names, traces, errors].map(ratio),
  ]
  return `| ${cells.join(" | ")} |`
}

function ratio({ right, of }: Finding): string {
  return `${right} of ${of}`
}

/** A line for each thing that differs or is missing. */
export function problems({ html, console, names, traces, errors, left }: AppComparison): string[] {
  const found = Object.entries({ html, console, names, traces, errors })
  return [
    ...found.flatMap(([what, { wrong }]) => wrong.map((each) => `${what}: ${each}`)),
    ...left.map((each) => `init left to the owner: ${each}`),
  ]
}

export function isRight({ html, console, names, traces, errors }: AppComparison): boolean {
  return [html, console, names, traces, errors].every(({ wrong }) => wrong.length === 0)
}
