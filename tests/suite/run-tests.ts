import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { chromiumPath, hasHeadlessShell } from "../support/chromium.ts"
import { pythonWithSentry } from "../support/python.ts"
import { SUITE_VARIABLE } from "./test-projects.ts"

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

function run(command: string, parameters: readonly string[], variables: Readonly<Record<string, string>>): boolean {
  return spawnSync(command, parameters, { stdio: "inherit", env: { ...process.env, ...variables } }).status === 0
}

function install(needs: readonly Need[]): void {
  if (needs.length === 0 || process.getuid?.() !== 0) return
  console.log(`Installing Debian's ${needs.map((need) => need.package).join(" and ")}.`)
  const unattended = { DEBIAN_FRONTEND: "noninteractive" }
  run("apt-get", ["update", "-qq"], unattended)
  // One by one: a package that is not to be had does not keep the others away.
  for (const need of needs) run("apt-get", ["install", "-y", "-qq", need.package], unattended)
}

/** One more than other runs have: without the files that build apps, most of the time is waiting. */
const WORKERS = availableParallelism() + 2

function runVitest(parameters: readonly string[]): boolean {
  const [first, ...rest] = parameters
  const vitest = (chosen: readonly string[], variables = {}) =>
    run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...chosen], variables)
  if (first === undefined) return vitest([`--maxWorkers=${WORKERS}`], { [SUITE_VARIABLE]: "short" })
  return vitest(first === "--all" ? rest : parameters)
}

install(NEEDS.filter((need) => !need.isThere()))
const missing = NEEDS.filter((need) => !need.isThere())
for (const need of missing) {
  const { what, package: name, variable } = need
  if (variable === undefined) console.warn(`The tests are faster with ${what} (apt-get install ${name}).`)
  else console.error(`The tests need ${what}: install it (apt-get install ${name}) or set ${variable}.`)
}
const isDone = missing.every((need) => need.variable === undefined) && runVitest(process.argv.slice(2))
process.exit(isDone ? 0 : 1)
