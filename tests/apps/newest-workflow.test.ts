import { execFile } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import type { Result } from "./matrix/matrix.ts"
import { rowOf, tableOf } from "./matrix/report.ts"

/** The workflow that tries the newest of everything: its steps run with bash, as the runner does, on an `npm` of the test. */

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly env?: Readonly<Record<string, string>>
}

const workflow = parse(readFileSync(".github/workflows/newest.yml", "utf8")) as {
  readonly on: { readonly schedule: readonly { readonly cron: string }[]; readonly workflow_dispatch: object }
  readonly permissions: object
  readonly jobs: Readonly<Record<string, { readonly "timeout-minutes": number; readonly steps: readonly Step[] }>>
}
const { steps } = workflow.jobs["newest"]!
const step = (name: string) => steps.find((each) => each.name === name)!

const TRIED: Result = {
  versions: ["16.5.0-canary.38", "11.12.0", "2.12.1"],
  bundler: "webpack",
  deployment: "`next start`",
  problems: [],
}
const TABLE = tableOf([rowOf(TRIED), rowOf({ ...TRIED, bundler: "turbopack", problems: ["roots: none"] })])

/** Runs a step where `npm` writes the table, if there is one, and ends with this code. */
async function run(name: string, words: string, { code, table }: { code: number; table?: string }) {
  const directory = await temporaryDirectory()
  const programs = join(directory, "programs")
  mkdirSync(programs)
  const write = table === undefined ? "" : `cat > newest.md <<'TABLE'\n${table}TABLE\n`
  writeFileSync(join(programs, "npm"), `#!/bin/sh\nprintf '%s\\n' "$@" > arguments\n${write}exit ${code}\n`)
  chmodSync(join(programs, "npm"), 0o755)
  const summary = join(directory, "summary.md")
  const environment = { WORDS: words, GITHUB_STEP_SUMMARY: summary }
  const env = { ...cleanEnvironment(), ...environment, PATH: `${programs}:${process.env["PATH"]}` }
  const bash = (script: string) =>
    new Promise<number>((done) => {
      const parameters = ["--noprofile", "--norc", "-e", "-c", script]
      execFile("bash", parameters, { cwd: directory, env: env as unknown as NodeJS.ProcessEnv }, (error) =>
        done(error === null ? 0 : Number(error.code)),
      )
    })
  const ended = await bash(step(name).run!)
  await bash(step("List what broke").run!)
  const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "")
  return { ended, given: read(join(directory, "arguments")).trim().split("\n"), summary: read(summary) }
}

describe("the job that tries the newest of everything", () => {
  test("runs each day and by hand, may only read, and ends", () => {
    expect(workflow.on.schedule).toHaveLength(1)
    expect(workflow.on.schedule[0]!.cron).toMatch(/^\d+ \d+ \* \* \*$/)
    expect(workflow.on).toHaveProperty("workflow_dispatch.inputs.words")
    expect(workflow.permissions).toEqual({ contents: "read" })
    expect(workflow.jobs["newest"]!["timeout-minutes"]).toBeGreaterThan(0)
  })

  test("calls scripts of this repository, and actions of a fixed version", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }
    const called = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!))
    expect(called).toEqual(["test:apps"])
    for (const name of called) expect(scripts).toHaveProperty(name)
    for (const { uses } of steps.filter((each) => each.uses !== undefined)) expect(uses).toMatch(/@v\d+$/)
  })

  test("fails if a version broke, and lists it", async () => {
    const { ended, given, summary } = await run("Try the newest versions", "canary webpack", { code: 1, table: TABLE })
    expect(ended).toBe(1)
    expect(given).toEqual(["run", "test:apps", "--", "--newest", "--table", "newest.md", "canary", "webpack"])
    expect(summary).toBe(TABLE)
    expect(summary).toContain("| turbopack | `next start` | no: roots: none |")
    expect(step("List what broke").if).toBe("always()")
    for (const each of steps) expect(each).not.toHaveProperty("continue-on-error")
  })

  test("passes if nothing broke, and lists what it tried", async () => {
    const { ended, given, summary } = await run("Try the newest versions", "", { code: 0, table: TABLE })
    expect(ended).toBe(0)
    expect(given.slice(3)).toEqual(["--newest", "--table", "newest.md"])
    expect(summary).toBe(TABLE)
  })

  test("says that nothing was tried if it could not begin", async () => {
    const { ended, summary } = await run("Try the newest versions", "", { code: 1 })
    expect([ended, summary]).toEqual([1, "No build was tried: the log of the step before says why.\n"])
  })
})
