import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { PACKAGED_COMMAND } from "#tests/support/packaged.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

/** The steps of the CI templates run with bash, on a project whose command reports page loads. */

const PAGESPAN = `${process.execPath} ${resolve(PACKAGED_COMMAND)}`
const SHOP = `${process.execPath} ${resolve("tests/cli/shop-program.mjs")}`
const BUDGETS = {
  baseline: "run:main",
  routes: { "/cart": { duration: { p50: ["10s", "+10%"] }, spans: { "SELECT *": { max: 3 } } } },
}

async function project(): Promise<string> {
  const directory = await temporaryDirectory()
  writeFileSync(join(directory, "pagespan.budgets.json"), JSON.stringify(BUDGETS))
  return directory
}

interface Ended {
  readonly code: number
  readonly output: string
}

/** Runs a script as GitHub and GitLab do: `bash -eo pipefail`. */
function bash(script: string, directory: string, environment: Record<string, string>): Promise<Ended> {
  return new Promise((done) => {
    const env = { ...cleanEnvironment(), ...environment } as unknown as NodeJS.ProcessEnv
    execFile(
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      { cwd: directory, env },
      (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })
}

interface Action {
  readonly inputs: Record<string, { readonly default?: string; readonly required?: boolean }>
  readonly runs: {
    readonly using: string
    readonly steps: readonly {
      readonly shell?: string
      readonly run?: string
      readonly uses?: string
      readonly env?: Record<string, string>
      readonly with?: Record<string, string>
      readonly if?: string
    }[]
  }
}

/** Runs the action with the inputs as a workflow would. */
function runAction(
  directory: string,
  inputs: Record<string, string>,
  environment: Record<string, string>,
): Promise<Ended> {
  const action = parse(readFileSync("docs/ci/action.yml", "utf8")) as Action
  const [step] = action.runs.steps
  const valueOf = (text: string) =>
    text.replace(
      /^\$\{\{ inputs\.([\w-]+) \}\}$/,
      (_, name: string) => inputs[name] ?? action.inputs[name]!.default ?? "",
    )
  const env = Object.entries(step!.env!).map(([name, text]) => [name, valueOf(text)])
  return bash(step!.run!, directory, {
    ...(Object.fromEntries(env) as Record<string, string>),
    GITHUB_ACTIONS: "true",
    GITHUB_OUTPUT: join(directory, "outputs.txt"),
    ...environment,
  })
}

describe("the GitHub action", () => {
  test("is a composite action that puts no input into a script", () => {
    const { inputs, runs } = parse(readFileSync("docs/ci/action.yml", "utf8")) as Action
    expect(runs.using).toBe("composite")
    expect(Object.values(inputs).filter(({ required }) => required === true)).toHaveLength(1)
    for (const { run, shell, uses } of runs.steps) {
      expect(run ?? "").not.toContain("${{")
      expect(run === undefined ? uses : shell).toMatch(/^(?:bash|actions\/upload-artifact@v\d+)$/)
    }
    expect(runs.steps.at(-1)!.if).toBe("always()")
    expect(runs.steps.at(-1)!.with!["name"]).toBe("${{ steps.budgets.outputs.artifact }}")
  })

  test("records a branch, compares it with the recording of main, and fails with annotations and a summary", async () => {
    const directory = await project()
    const summary = join(directory, "summary.md")
    const inputs = { pagespan: PAGESPAN, baseline: "baseline.gz", output: "reports of ci" }
    const main = await runAction(
      directory,
      { ...inputs, command: `${SHOP} 20 100 2 | cat` },
      { GITHUB_REF_NAME: "main" },
    )
    expect(main.output).toContain("The budgets are undecided: 1 undecided, 2 passed")
    expect(main.code).toBe(0)
    writeFileSync(
      join(directory, "baseline.gz"),
      readFileSync(join(directory, "reports of ci/recording.otlp.jsonl.gz")),
    )

    const command = `${SHOP} 20 300 5`
    const branch = await runAction(
      directory,
      { ...inputs, command },
      { GITHUB_REF_NAME: "7/merge", GITHUB_HEAD_REF: "slow $(x) cart", GITHUB_STEP_SUMMARY: summary },
    )
    expect(branch.output).toMatch(/^fail .*duration p50 .*\+10%/m)
    expect(branch.output).toMatch(/^::error file=pagespan\.budgets\.json,line=1,/m)
    expect(branch.code).toBe(1)
    expect(readFileSync(summary, "utf8")).toContain("### Budgets fail: 2 failed, 1 passed")
    expect(readdirSync(join(directory, "reports of ci")).sort()).toEqual([
      "budgets.sarif",
      "junit.xml",
      "recording.otlp.jsonl.gz",
      "summary.md",
    ])
  })

  test("fails with the code of the command, and still reports, on a branch of any name and into any directory", async () => {
    const directory = await project()
    const command = `${SHOP} 3 10 1; false; echo not reached`
    const inputs = { pagespan: PAGESPAN, command, strict: "true", output: "reports/of ci" }
    const branch = "_dependabot/".padEnd(120, "x")
    const { code, output } = await runAction(directory, inputs, { GITHUB_REF_NAME: branch })
    expect(output).not.toContain("not reached")
    expect(output).toContain("The budgets are undecided")
    expect(code).toBe(1)
    expect(existsSync(join(directory, "reports/of ci/junit.xml"))).toBe(true)
    expect(readFileSync(join(directory, "outputs.txt"), "utf8")).toBe("artifact=reports-of-ci\n")
  })
})

test("the GitLab template records, checks budgets and keeps JUnit XML where the job looks for it", async () => {
  const { ".pagespan": job } = parse(readFileSync("docs/ci/gitlab.yml", "utf8")) as Record<
    string,
    { variables: Record<string, string>; script: string[]; artifacts: { reports: { junit: string }; when: string } }
  >
  const directory = await project()
  const run = (command: string, more: Record<string, string> = {}) =>
    bash(job!.script.join("\n"), directory, {
      ...job!.variables,
      CI_COMMIT_REF_SLUG: "main",
      PAGESPAN,
      COMMAND: command,
      ...more,
    })
  expect((await run(`${SHOP} 5 10 1`)).code).toBe(0)
  expect(readFileSync(join(directory, job!.artifacts.reports.junit), "utf8")).toContain(`failures="0"`)
  const slow = await run(`${SHOP} 5 10 9`)
  expect(slow.output).toMatch(/^fail .*SELECT/m)
  expect(slow.code).toBe(1)
  expect(readFileSync(join(directory, job!.artifacts.reports.junit), "utf8")).toContain(`failures="1"`)
  const recorded = () =>
    gunzipSync(readFileSync(join(directory, "pagespan-reports/recording.otlp.jsonl.gz"))).toString()
  expect(recorded()).toContain('"main"')
  await run(`${SHOP} 5 10 1`, { NAME: "nightly" })
  expect(recorded()).toContain('"nightly"')
  expect((await run("exit 5")).code).toBe(5)
  expect(job!.artifacts.when).toBe("always")
})
