import type { MarkedTable } from "../marked-text.ts"
import type { Result } from "./matrix.ts"

const HEAD = ["| Next | Sentry | OpenTelemetry | bundler | deployment | right |", "|---|---|---|---|---|---|"]

/** The table of versions and deployments: a row per versions, bundler and deployment. */
export const VERSIONS_TABLE: MarkedTable = {
  begin: "<!-- versions: made by `npm run test:apps -- --matrix` -->",
  end: "<!-- end of versions -->",
  head: HEAD,
  // All but the last cell, which is the verdict.
  subjectOf: (row) => row.split(" | ").slice(0, -1).join(" | "),
}

/** A row of the table, with what is wrong or why it did not run. */
export function rowOf({ versions, bundler, deployment, problems, obstacle }: Result): string {
  const verdict =
    obstacle === undefined ? (problems.length === 0 ? "yes" : `no: ${problems.join("; ")}`) : `not run: ${obstacle}`
  return `| ${[...versions, bundler, deployment, verdict.replaceAll("|", "\\|")].join(" | ")} |`
}

/** The rows as a table of Markdown. */
export function tableOf(rows: readonly string[]): string {
  return `${[...HEAD, ...rows].join("\n")}\n`
}
