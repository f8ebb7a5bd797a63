import { spawn } from "node:child_process"
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

type Variables = Readonly<Record<string, string>>

/** Resolves with whether the program ended with code 0. */
function run(command: string, parameters: readonly string[], variables: Variables = {}): Promise<boolean> {
  const child = spawn(command, parameters, { stdio: "inherit", env: { ...process.env, ...variables } })
  return new Promise((resolve) => {
    child.once("error", () => resolve(false))
    child.once("close", (code) => resolve(code === 0))
  })
}

async function install(needs: readonly Need[]): Promise<void> {
  console.log(`Installing Debian's ${needs.map((need) => need.package).join(" and ")}.`)
  const unattended = { DEBIAN_FRONTEND: "noninteractive" }
  await run("apt-get", ["update", "-qq"], unattended)
  // One by one: a package that is not to be had does not keep the others away.
  for (const need of needs) await run("apt-get", ["install", "-y", "-qq", need.package], unattended)
}

/** The build that most of the tests need, which their set-up finds made. */
const BUILD = 'import("./tests/support/build-inspector.ts").then(({ setup }) => setup())'

/** Installs what is missing. That waits for downloads and the disk, so a run of a whole suite builds meanwhile. */
async function prepare(parameters: readonly string[]): Promise<void> {
  const needs = NEEDS.filter((need) => !need.isThere())
  // Only root may install.
  if (needs.length === 0 || process.getuid?.() !== 0) return
  const isWhole = parameters.every((parameter) => parameter === "--all")
  const build = isWhole ? run(process.execPath, ["--import", "tsx", "--eval", BUILD]) : undefined
  await Promise.all([install(needs), build])
}

/** One more than other runs have: without the files that build apps, most of the time is waiting. */
const WORKERS = availableParallelism() + 2

function runVitest(parameters: readonly string[]): Promise<boolean> {
  const [first, ...rest] = parameters
  const vitest = (suite: "short" | "all", chosen: readonly string[]) =>
    run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...chosen], { [SUITE_VARIABLE]: suite })
  if (first === undefined) return vitest("short", [`--maxWorkers=${WORKERS}`])
  return vitest("all", first === "--all" ? rest : parameters)
}

const parameters = process.argv.slice(2)
await prepare(parameters)
const missing = NEEDS.filter((need) => !need.isThere())
for (const need of missing) {
  const { what, package: name, variable } = need
  if (variable === undefined) console.warn(`The tests are faster with ${what} (apt-get install ${name}).`)
  else console.error(`The tests need ${what}: install it (apt-get install ${name}) or set ${variable}.`)
}
const isDone = missing.every((need) => need.variable === undefined) && (await runVitest(parameters))
process.exit(isDone ? 0 : 1)
