import { writeFileSync } from "node:fs"
import { launchChromium } from "#tests/support/chromium.ts"
import { COMPATIBILITY_PAGE, writeRows } from "../marked-text.ts"
import { COMBINATIONS, combinationsOf, tryCombination } from "./matrix.ts"
import { rowOf, tableOf, VERSIONS_TABLE } from "./report.ts"
import { newestVersions } from "./versions.ts"

/**
 * Tries combinations of versions, bundlers and deployments on an app of this repository, and prints a row for each.
 *
 * @param kind `matrix`: the supported ones, whose rows it writes into `docs/reference/compatibility.md` too. `newest`: the
 *   newest versions that the registry has, each alone and all together.
 * @param table a file into which the rows are written too.
 * @param words tries only combinations that one of these words describes, like `export`, `webpack` or `canary`. Default: all.
 * @returns whether everything was right.
 */
export async function runMatrix(kind: "matrix" | "newest", words: readonly string[], table?: string): Promise<boolean> {
  const all = kind === "matrix" ? COMBINATIONS : combinationsOf(await newestVersions())
  const combinations = all.filter(
    (each) => words.length === 0 || words.some((word) => JSON.stringify(each).includes(word)),
  )
  const browser = await launchChromium()
  const allRows: string[] = []
  let isRight = true
  try {
    for (const combination of combinations) {
      const results = await tryCombination(combination, browser)
      const rows = results.map(rowOf)
      console.log(rows.join("\n"))
      // A run that is interrupted leaves what it has found.
      if (kind === "matrix") writeRows(COMPATIBILITY_PAGE, VERSIONS_TABLE, rows)
      allRows.push(...rows)
      if (table !== undefined) writeFileSync(table, tableOf(allRows))
      isRight &&= results.every(({ problems }) => problems.length === 0)
    }
  } finally {
    await browser.close()
  }
  return isRight
}
