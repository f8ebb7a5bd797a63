import { spawnSync } from "node:child_process"
import { chromiumPath } from "./chromium.ts"
import { pythonWithSentry } from "./python.ts"
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
  readonly variable: string
  isThere(): boolean
}

const NEEDS: readonly Need[] = [
  { what: "Chromium", package: "chromium", variable: "CHROMIUM_PATH", isThere: () => chromiumPath() !== undefined },
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
  if (run("apt-get", ["update", "-qq"])) run("apt-get", ["install", "-y", "-qq", ...needs.map((need) => need.package)])
}

function vitestArguments([first, ...rest]: readonly string[]): string[] {
  if (first === "--all") return ["run", ...rest]
  return first === undefined ? ["run", `--project=!*${EXHAUSTIVE_SUFFIX}`] : ["run", first, ...rest]
}

install(NEEDS.filter((need) => !need.isThere()))
const missing = NEEDS.filter((need) => !need.isThere())
for (const need of missing)
  console.error(`The tests need ${need.what}: install it (apt-get install ${need.package}) or set ${need.variable}.`)
const isDone =
  missing.length === 0 &&
  run(process.execPath, ["node_modules/vitest/vitest.mjs", ...vitestArguments(process.argv.slice(2))])
process.exit(isDone ? 0 : 1)
