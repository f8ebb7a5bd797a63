import { type Described, sentence } from "./describe.ts"
import { type BudgetSource, lineOf } from "./sarif.ts"

/**
 * Workflow commands of GitHub Actions for the limits that fail or are undecided.
 *
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function annotations(results: readonly Described[], source: BudgetSource, isStrict: boolean): string[] {
  return results
    .filter(({ verdict }) => verdict !== "pass")
    .map((each) => {
      const command = each.verdict === "fail" || isStrict ? "error" : "notice"
      const line = lineOf(source.text, each.result.path)
      return `::${command} file=${property(source.path)},line=${line},title=${property(`Budget of ${each.subject}`)}::${data(sentence(each))}`
    })
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}
