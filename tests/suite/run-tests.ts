import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { chromiumPath, hasHeadlessShell } from "../support/chromium.ts"
import { pythonWithSentry } from "../support/python.ts"
import { EXHAUSTIVE_SUFFIX } from "./test-projects.ts"

/**
 * `npm test` and `npm run test:all` (`--all`): makes sure that the programs which the tests drive are there, then runs
 * Vitest. No test is skipped because a program is missing: the missing one is installed from Debian, or the run fails and
 * names it. Other arguments are Vitest's: `npm test tests/cli` runs the files whose path contains that text, of both
 * suites.
 */

interface Need {
  readonly what: string
  readonly package: string
  /** Names another path of it. Without one the tests run without it, and take longer. */
  readonly variable?: string
  isThere(): boolean
}

const NEEDS: readonly Need[] = [
  { what: "Chromium", package: "chromium", variable: "CHROMIUM_PATH", isThere: () => chromiumPath() !== undefined },
  { what: "Chromium's headless shell", package: "chromium-headless-shell", isThere: hasHeadlessShell },
  {
    what: "a Python with Sentry's SDK",
    package: "python3-sentry-sdk",
    variable: "PYTHON_PATH",
    isThere: () => pythonWithSentry() !== undefined,
  },
]

function run(command: string, parameters: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync(command, parameters, { stdio: "inherit", env }).status === 0
}

function install(needs: readonly Need[]): void {
  if (needs.length === 0 || process.getuid?.() !== 0) return
  console.log(`Installing Debian's ${needs.map((need) => need.package).join(" and ")}.`)
  run("apt-get", ["update", "-qq"])
  // One by one: a package that is not to be had does not keep the others away.
  for (const need of needs) run("apt-get", ["install", "-y", "-qq", need.package])
}

/** One more than other runs have: without the files that build apps, most of the time is waiting. */
const WORKERS = availableParallelism() + 2

function vitestArguments([first, ...rest]: readonly string[]): string[] {
  if (first === "--all") return ["run", ...rest]
  if (first !== undefined) return ["run", first, ...rest]
  return ["run", `--project=!*${EXHAUSTIVE_SUFFIX}`, `--maxWorkers=${WORKERS}`]
}

install(NEEDS.filter((need) => !need.isThere()))
const missing = NEEDS.filter((need) => !need.isThere())
for (const need of missing) {
  const { what, package: name, variable } = need
  if (variable === undefined) console.warn(`The tests are faster with ${what} (apt-get install ${name}).`)
  else console.error(`The tests need ${what}: install it (apt-get install ${name}) or set ${variable}.`)
}
const isDone =
  missing.every((need) => need.variable === undefined) &&
  run(process.execPath, ["node_modules/vitest/vitest.mjs", ...vitestArguments(process.argv.slice(2))])
process.exit(isDone ? 0 : 1)
