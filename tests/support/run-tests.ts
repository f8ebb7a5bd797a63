import { spawnSync } from "node:child_process"
import { chromiumPath } from "./chromium.ts"
import { pythonWithSentry } from "./python.ts"

/**
 * `npm test`: makes sure that what the tests need is there, then runs them. No test is ever skipped for want of it: what is
 * missing is installed from Debian, and where it cannot be, this says so and fails.
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

install(NEEDS.filter((need) => !need.isThere()))
const missing = NEEDS.filter((need) => !need.isThere())
for (const need of missing)
  console.error(`The tests need ${need.what}: install it (apt-get install ${need.package}) or set ${need.variable}.`)
const isDone =
  missing.length === 0 && run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)])
process.exit(isDone ? 0 : 1)
