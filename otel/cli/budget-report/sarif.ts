import type { BudgetResult } from "../../inspector/queries/budgets/budgets.ts"
import { type Described, sentence } from "./describe.ts"

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/** The file of the budgets as the report names it. */
export interface BudgetSource {
  /** Relative to the working directory, with forward slashes. */
  readonly path: string
  readonly text: string
}

/**
 * Limits that fail or are undecided, in SARIF 2.1.0, at their lines of the budget file.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function sarifLog(
  results: readonly Described[],
  source: BudgetSource,
  version: string,
  isStrict: boolean,
): object {
  const shown = results.filter(({ verdict }) => verdict !== "pass")
  const rules = [...new Set(shown.map(({ result }) => ruleOf(result)))]
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "pagespan",
            version,
            rules: rules.map((id) => ({
              id,
              shortDescription: { text: `The limits of ${id.replace("budget/", "")} hold` },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: shown.map((each) => ({
          ruleId: ruleOf(each.result),
          ruleIndex: rules.indexOf(ruleOf(each.result)),
          level: each.verdict === "fail" || isStrict ? "error" : "note",
          message: { text: sentence(each) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: encodeURI(source.path) },
                region: { startLine: lineOf(source.text, each.result.path) },
              },
            },
          ],
          partialFingerprints: { "budget/v1": [each.subject, each.figure, each.limit].join("\n") },
        })),
      },
    ],
  }
}

function ruleOf({ metric }: BudgetResult): string {
  return `budget/${metric}`
}

/** The line of a key in the text of the file, from 1: each key of the path is searched behind the one before it. */
export function lineOf(text: string, path: readonly string[]): number {
  let at = 0
  for (const key of path) {
    const found = text.indexOf(JSON.stringify(key), at)
    if (found === -1) break
    at = found + key.length
  }
  return text.slice(0, at).split("\n").length
}
