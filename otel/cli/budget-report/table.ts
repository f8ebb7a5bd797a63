import type { Described } from "./describe.ts"

const COLUMNS = ["verdict", "subject", "figure", "value", "limit", "samples"] as const
const HEAD: Readonly<Record<(typeof COLUMNS)[number], string>> = {
  verdict: "VERDICT",
  subject: "ROUTE",
  figure: "FIGURE",
  value: "MEASURED",
  limit: "LIMIT",
  samples: "SAMPLES",
}
/** Longer names are cut in the table. The other forms of the report have them whole. */
const WIDEST = 48

/**
 * The results as aligned columns, each with its reason below it.
 *
 * @param screens address of an inspector that shows the traces. Default: none, and traces are named by their ids.
 */
export function tableText(results: readonly Described[], screens?: string): string {
  const rows = [HEAD, ...results].map((row) => COLUMNS.map((column) => cut(row[column])))
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? "")].length)))
  const lines = rows.map((row) =>
    row
      .map((cell, at) => pad(cell, widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  const [head = "", ...body] = lines
  return [head, ...body.flatMap((line, at) => [line, ...detailLines(results[at], screens)])].join("\n")
}

function detailLines(result: Described | undefined, screens: string | undefined): string[] {
  if (result === undefined || result.verdict === "pass") return []
  const {
    detail,
    result: { traceId },
  } = result
  const trace = screens === undefined ? `trace ${traceId}` : `${screens}/traces/${traceId}`
  return [...(detail === "" ? [] : [`  ${detail}`]), ...(traceId === null ? [] : [`  largest in ${trace}`])]
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length <= WIDEST ? text : `${characters.slice(0, WIDEST - 1).join("")}…`
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - [...text].length))
}
