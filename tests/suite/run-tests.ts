import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { delimiter, join } from "node:path"
import { chromiumPath, hasHeadlessShell } from "../support/chromium.ts"
import { pythonWithSentry, rubyWithSentry } from "../support/interpreters.ts"
import { SUITE_VARIABLE } from "./test-projects.ts"

/**
 * `npm test` and `npm run test:all` (`--all`): makes sure that the programs which the tests drive are there, then runs
 * Vitest. No test is skipped because a program is missing: the missing one is installed from Debian, or the run fails and
 * names it. Other arguments are Vitest's: `npm test tests/cli` runs the files whose path contains that text, of both
 * suites.
 */

interface Need {
  readonly what: string
  /** Debian's. */
  readonly packages: readonly string[]
  /** Names another path of it. */
  readonly variable?: string
  /** Whether the tests run without it, and take longer. */
  readonly isOptional?: true
  /** Whether only `--all` needs it. A test of a chosen file names what it misses. */
  readonly ofAll?: true
  isThere(): boolean
}

const NEEDS: readonly Need[] = [
  { what: "Chromium", packages: ["chromium"], variable: "CHROMIUM_PATH", isThere: () => chromiumPath() !== undefined },
  {
    what: "Chromium's headless shell",
    packages: ["chromium-headless-shell"],
    isOptional: true,
    isThere: hasHeadlessShell,
  },
  {
    what: "a Python with Sentry's SDK",
    packages: ["python3-sentry-sdk"],
    variable: "PYTHON_PATH",
    isThere: () => pythonWithSentry() !== undefined,
  },
  {
    what: "a Ruby with Sentry's SDK",
    // The second works with any interpreter, and installs none.
    packages: ["ruby", "ruby-sentry-ruby"],
    variable: "RUBY_PATH",
    ofAll: true,
    isThere: () => rubyWithSentry() !== undefined,
  },
  { what: "nginx", packages: ["nginx-light"], ofAll: true, isThere: () => isOnPath("nginx") },
  { what: "OpenSSL", packages: ["openssl"], ofAll: true, isThere: () => isOnPath("openssl") },
  { what: "Firefox", packages: ["firefox-esr"], ofAll: true, isThere: () => isOnPath("firefox-esr") },
  { what: "WebKit", packages: ["webkit2gtk-driver"], ofAll: true, isThere: () => isOnPath("WebKitWebDriver") },
  { what: "a virtual display", packages: ["xvfb"], ofAll: true, isThere: () => isOnPath("Xvfb") },
]

function isOnPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)))
}

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
  console.log(`Installing Debian's ${needs.flatMap(({ packages }) => packages).join(", ")}.`)
  const unattended = { DEBIAN_FRONTEND: "noninteractive" }
  await run("apt-get", ["update", "-qq"], unattended)
  // Need by need: a package that is not to be had does not keep the others away.
  for (const { packages } of needs) await run("apt-get", ["install", "-y", "-qq", ...packages], unattended)
}

/** The build that most of the tests need, which their set-up finds made. */
const BUILD = 'import("./tests/support/build-inspector.ts").then(({ setup }) => setup())'

/** Installs what is missing. That waits for downloads and the disk, so a run of a whole suite builds meanwhile. */
async function prepare(parameters: readonly string[], needs: readonly Need[]): Promise<void> {
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
const isAll = parameters.includes("--all")
const missing = () => NEEDS.filter((need) => (isAll || !need.ofAll) && !need.isThere())
await prepare(parameters, missing())
const stillMissing = missing()
for (const { what, packages, variable, isOptional } of stillMissing) {
  const install = `install it (apt-get install ${packages.join(" ")})${variable === undefined ? "" : ` or set ${variable}`}`
  if (isOptional) console.warn(`The tests are faster with ${what}: ${install}.`)
  else console.error(`The tests need ${what}: ${install}.`)
}
const isDone = stillMissing.every((need) => need.isOptional) && (await runVitest(parameters))
process.exit(isDone ? 0 : 1)
