import { join } from "node:path"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Combination, COMBINATIONS, type Result, tryCombination } from "./matrix.ts"
import { DEPLOYMENTS } from "./deployments.ts"
import { remarks, tableOf, writeTable } from "./report.ts"
import { newestVersions } from "./versions.ts"

const PAGE = join(import.meta.dirname, "../../../docs/reference/compatibility.md")

/**
 * Tries combinations of versions, bundlers and deployments on an app of this repository.
 *
 * @param kind `matrix`: the supported ones, whose table it writes into `docs/reference/compatibility.md`. `newest`: the newest of
 *   everything, with the newest canary of Next too, of which it prints what broke.
 * @returns whether everything was right.
 */
export async function runMatrix(kind: "matrix" | "newest"): Promise<boolean> {
  const combinations = kind === "matrix" ? COMBINATIONS : await newestCombinations()
  const browser = await launchChromium()
  const results: Result[] = []
  try {
    for (const combination of combinations) {
      const rows = await tryCombination(combination, browser)
      results.push(...rows)
      // A run that is interrupted leaves what it has found.
      if (kind === "matrix") writeTable(PAGE, results)
      for (const row of rows)
        console.log(
          [row.next, row.sentry, row.bundler, row.deployment, row.problems.length === 0 ? "ok" : "FAILED"].join("  "),
        )
    }
  } finally {
    await browser.close()
  }
  console.log(`\n${tableOf(results)}`)
  const broken = results.filter(({ problems }) => problems.length > 0)
  if (kind === "newest" && broken.length > 0)
    console.log(`\nbroken by the newest versions:\n${broken.flatMap(remarks).join("\n")}`)
  return broken.length === 0
}

async function newestCombinations(): Promise<Combination[]> {
  const { latest, canary } = await newestVersions()
  const server = DEPLOYMENTS.filter(({ form }) => form === "server")
  return [latest, canary].flatMap((versions) =>
    (["turbopack", "webpack"] as const).map((bundler) => ({ versions, bundler, deployments: server })),
  )
}
