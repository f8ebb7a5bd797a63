import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { directoryFindings } from "#otel/cli/doctor/directory-findings.ts"
import { planInit } from "#otel/cli/init/plan.ts"
import { version } from "#otel/cli/version.ts"
import { read, readyApp, runInit } from "./app-on-disk.ts"

const DSN = "https://publickey@sentry.test/1"
const CONFIG = "export default {}\n"
const REPOSITORY = join(import.meta.dirname, "../../..")
const ON_SOURCE = ["--import", "tsx", join(REPOSITORY, "otel/cli/main.ts")]

describe("missing packages", () => {
  test.each([
    [{ "package-lock.json": "" }, `npm install pagespan@${version()}`],
    [{ "pnpm-lock.yaml": "" }, `pnpm add pagespan@${version()}`],
    [{ "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "" }, `pnpm add -w pagespan@${version()}`],
    [{ "yarn.lock": "" }, `yarn add pagespan@${version()}`],
    [{ "bun.lock": "" }, `bun add pagespan@${version()}`],
    [
      { "package.json": `{ "packageManager": "pnpm@10.1.0" }`, "package-lock.json": "" },
      `pnpm add pagespan@${version()}`,
    ],
    [
      { "package.json": `{ "dependencies": { "@sentry/nextjs": "^10.78.0" } }`, "pnpm-lock.yaml": "" },
      `pnpm add pagespan@${version()} @sentry/browser@^10.78.0 @sentry/core@^10.78.0 @sentry/opentelemetry@^10.78.0 @opentelemetry/api@~1.9.1 && pnpm dedupe`,
    ],
    [
      {
        "package.json": `{ "dependencies": { "@sentry/nextjs": "^11.0.0", "@opentelemetry/api": "^1.9.0" } }`,
        "package-lock.json": "",
      },
      `npm install pagespan@${version()}`,
    ],
  ])("of an app with %j are installed by its package manager", async (files, command) => {
    const directory = await readyApp({ "package.json": "{}", ...files })
    expect(planInit(directory)!.installation?.text).toBe(command)
  })

  test("include Sentry's SDK if a DSN is given", async () => {
    expect(planInit(await readyApp({}), DSN)!.installation?.text).toBe("npm install @sentry/nextjs@^11.0.0")
  })

  // Without the API in the app's list, pnpm installs a newer one for Sentry's SDK and Next than Pagespan registers its tracer in.
  test("include OpenTelemetry's API for pnpm, with one copy for all", async () => {
    const fresh = await readyApp({ "pnpm-lock.yaml": "" })
    const parts = ["nextjs", "browser", "core", "opentelemetry"].map((name) => `@sentry/${name}@^11.0.0`)
    expect(planInit(fresh, DSN)!.installation?.text).toBe(`pnpm add ${parts.join(" ")} @opentelemetry/api@~1.9.1`)
  })

  test.each([
    ["^1.9.0", "pnpm add @opentelemetry/api@~1.9.1 && pnpm dedupe"],
    [">=1.3.0 <2", "pnpm add @opentelemetry/api@~1.9.1 && pnpm dedupe"],
    ["1.9.1 || ^1.10.0", "pnpm add @opentelemetry/api@~1.9.1 && pnpm dedupe"],
    ["~1.9.1", undefined],
    ["1.9.1", undefined],
    ["catalog:", undefined],
  ])("replace a range of OpenTelemetry's API that accepts a newer one, for pnpm: %s", async (range, text) => {
    const names = ["nextjs", "browser", "core", "opentelemetry"].map((name) => [`@sentry/${name}`, "^11.0.0"])
    const dependencies = { pagespan: version(), "@opentelemetry/api": range, ...Object.fromEntries(names) }
    const listed = { "package.json": JSON.stringify({ dependencies }), "pnpm-lock.yaml": "" }
    expect(planInit(await readyApp(listed))!.installation?.text).toBe(text)
  })

  const TWO_APIS = {
    "node_modules/@opentelemetry/api/package.json": `{ "version": "1.10.0" }`,
    "node_modules/pagespan/package.json": "{}",
    "node_modules/pagespan/node_modules/@opentelemetry/api/package.json": `{ "version": "1.9.1" }`,
  }

  test.each([
    [{}, "npm install @opentelemetry/api@~1.9.1"],
    [{ "yarn.lock": "" }, "yarn add @opentelemetry/api@~1.9.1"],
    [
      {
        "pnpm-lock.yaml": "",
        "package.json": `{ "dependencies": { "@opentelemetry/api": "~1.9.1", "pagespan": "*" } }`,
      },
      "pnpm add @opentelemetry/api@~1.9.1 && pnpm dedupe",
    ],
  ])("are OpenTelemetry's API where there are two copies, each with its own tracer: %j", async (files, text) => {
    const directory = await readyApp({ ...TWO_APIS, ...files })
    expect(planInit(directory)!.installation?.text).toBe(text)
    rmSync(join(directory, "node_modules/pagespan/node_modules"), { recursive: true })
    expect(planInit(directory)!.installation).toBeUndefined()
  })

  test("are installed once more where the installation has made a second copy of the API", async () => {
    const directory = await readyApp({ "package.json": "{}" })
    const tools = join(directory, "tools")
    mkdirSync(tools)
    const copies = Object.entries(TWO_APIS).map(
      ([path, text]) => `mkdir -p "$(dirname ${path})" && echo '${text}' > ${path}`,
    )
    const made = `case "$*" in *pagespan*) ${copies.join("\n")} ;; *) rm -r node_modules/pagespan/node_modules ;; esac`
    writeFileSync(join(tools, "npm"), `#!/bin/sh\necho "$@" >> "${tools}/called"\n${made}\n`)
    chmodSync(join(tools, "npm"), 0o755)
    vi.stubEnv("PATH", `${tools}${delimiter}${process.env["PATH"]}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const output = await runInit(directory, { install: true })
    expect(readFileSync(join(tools, "called"), "utf8")).toBe(
      `install pagespan@${version()}\ninstall @opentelemetry/api@~1.9.1\n`,
    )
    expect(output).toContain("There is a second copy of OpenTelemetry's API")
    expect(output).not.toContain("Left to you")
  })

  // pnpm sets it for the programs that it starts, to a folder with all packages of the workspace.
  test("are named although NODE_PATH has them, where no bundler looks", async () => {
    const names = ["nextjs", "browser", "core", "opentelemetry"]
    const store = Object.fromEntries(
      names.map((name) => [`store/@sentry/${name}/package.json`, `{ "version": "11.0.0" }`]),
    )
    const directory = await readyApp({
      ...store,
      "package.json": `{ "dependencies": { "pagespan": "*", "@sentry/nextjs": "^11.0.0", "@opentelemetry/api": "~1.9.1" } }`,
      "pnpm-lock.yaml": "",
    })
    const command = [...ON_SOURCE, "init", directory, "--dry-run"]
    const env = { ...process.env, NODE_PATH: join(directory, "store") }
    const { stdout } = await promisify(execFile)(process.execPath, command, { env, cwd: REPOSITORY })
    expect(stdout).toContain("pnpm add @sentry/browser@^11.0.0 @sentry/core@^11.0.0 @sentry/opentelemetry@^11.0.0\n")
  })

  describe("of Sentry's SDK that are too old", () => {
    const app = (version: string, files = {}) =>
      readyApp({
        "package.json": JSON.stringify({ dependencies: { pagespan: "*", "@sentry/nextjs": version } }),
        ...files,
      })
    const installed = (version: string) => ({
      "node_modules/@sentry/nextjs/package.json": JSON.stringify({ version }),
    })

    test.each([
      ["10.43.0", {}, "npm install @sentry/nextjs@^10.78.0"],
      ["~10.43.0", {}, "npm install @sentry/nextjs@^10.78.0"],
      ["^10.38.0", {}, undefined],
      ["^10.78.0", {}, undefined],
      ["catalog:", {}, undefined],
      [
        "^10.78.0",
        installed("10.79.1"),
        "npm install @sentry/browser@^10.78.0 @sentry/core@^10.78.0 @sentry/opentelemetry@^10.78.0",
      ],
      [
        "^10.38.0",
        installed("10.38.0"),
        "npm install @sentry/nextjs@^10.78.0 @sentry/browser@^10.78.0 @sentry/core@^10.78.0 @sentry/opentelemetry@^10.78.0",
      ],
    ])("are upgraded within their major version: %s with %j", async (range, files, command) => {
      expect(planInit(await app(range, files))!.installation?.text).toBe(command)
    })

    test("are named, in init and in doctor", async () => {
      const directory = await app("^10.38.0", installed("10.38.0"))
      const problem = "Sentry's SDK 10.38.0 is not supported: upgrade to 10.78 or later, or to 11"
      expect(await runInit(directory)).toContain(problem)
      const found = (await directoryFindings(directory)).find(({ text }) => text === problem)
      expect(found?.fix).toContain("npm install @sentry/nextjs@^10.78.0")
    })

    test("are left to the author where their major version has no supported one", async () => {
      const plan = planInit(await app("9.47.1"))!
      expect(plan.installation).toBeUndefined()
      expect(plan.notes.join("\n")).toContain("package.json: Sentry's SDK 9.47.1 is not supported")
    })
  })

  test("are none where packages are listed or can be found", async () => {
    expect(planInit(await readyApp({}))!.installation).toBeUndefined()
    const linked = await readyApp({ "package.json": "{}", "node_modules/pagespan/package.json": "{}" })
    expect(planInit(linked)!.installation).toBeUndefined()
  })

  test("are installed in the app after its edits, and a failed installation leaves the command to the author", async () => {
    const directory = await readyApp({ "package.json": "{}" })
    const tools = join(directory, "tools")
    mkdirSync(tools)
    const install = (code: number) => {
      writeFileSync(join(tools, "npm"), `#!/bin/sh\necho "$PWD $@" > "${tools}/called"\nexit ${code}\n`)
      chmodSync(join(tools, "npm"), 0o755)
    }
    vi.stubEnv("PATH", `${tools}${delimiter}${process.env["PATH"]}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    install(1)
    expect(await runInit(directory, { install: true })).toContain(
      `Left to you: npm could not install what is missing\n    npm install pagespan@${version()}`,
    )
    expect(read(directory, "next.config.mjs")).toContain("withPagespan")
    expect(readFileSync(join(tools, "called"), "utf8")).toBe(`${directory} install pagespan@${version()}\n`)
    install(0)
    expect(await runInit(directory, { install: true })).not.toContain("Left to you")
  })
})

/** A formatter of an app, which writes a comment above each file that it formats. */
function formatter(check: number, write: string): string {
  return `#!/usr/bin/env node
const { readFileSync, writeFileSync } = require("node:fs")
const files = process.argv.slice(2).filter((word) => /\\.[cm]?[jt]sx?$/.test(word))
if (process.argv.includes("--check") || process.argv.includes("check") || process.argv.at(-2) === "format") process.exit(${check})
for (const file of files) ${write}
`
}

const PACKAGES = [
  ["prettier", "prettier"],
  ["@biomejs/biome", "biome"],
  ["oxfmt", "oxfmt"],
  ["dprint", "dprint"],
] as const
const MARK = `writeFileSync(file, "// formatted\\n" + readFileSync(file, "utf8"))`

function withFormatter(name: string, program: string, code: string): Record<string, string> {
  return {
    "package.json": `{ "dependencies": { "pagespan": "0.1.0" }, "devDependencies": { ${JSON.stringify(name)}: "1.0.0" } }`,
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, bin: { [program]: "./bin.js" } }),
    [`node_modules/${name}/bin.js`]: code,
    "next.config.mjs": CONFIG,
  }
}

describe("the app's formatter", () => {
  test.each(PACKAGES)("%s formats what init changed", async (name, program) => {
    const directory = await readyApp(withFormatter(name, program, formatter(0, MARK)))
    expect(await runInit(directory)).toContain(`Formatted with ${name}`)
    for (const path of [
      "next.config.mjs",
      "instrumentation.js",
      "app/layout.js",
      "app/error.js",
      "app/monitoring/route.js",
    ])
      expect(read(directory, path)).toMatch(/^\/\/ formatted\n/)
  })

  test("leaves a file alone that it had not formatted before", async () => {
    const directory = await readyApp(withFormatter("prettier", "prettier", formatter(1, MARK)))
    await runInit(directory)
    expect(read(directory, "next.config.mjs")).toMatch(/^import \{ withPagespan \}/)
    expect(read(directory, "instrumentation.js")).toMatch(/^\/\/ formatted\n/)
  })

  test.each([
    `writeFileSync(file, "")`,
    `writeFileSync(file, "{{{")`,
    `process.exit(1)`,
    `process.kill(process.pid, "SIGKILL")`,
  ])("cannot damage a file: %s", async (write) => {
    const directory = await readyApp(withFormatter("prettier", "prettier", formatter(0, write)))
    await runInit(directory)
    expect(read(directory, "next.config.mjs")).toBe(
      `import { withPagespan } from "pagespan/next"\n\nexport default withPagespan({})\n`,
    )
  })

  test("formats with the real program and the configuration of the app", async () => {
    const directory = await readyApp({
      "package.json": `{ "dependencies": { "pagespan": "0.1.0" }, "devDependencies": { "oxfmt": "1" } }`,
      ".oxfmtrc.json": `{ "semi": true, "singleQuote": true, "useTabs": true }`,
      "next.config.mjs": "export default {\n\treactStrictMode: true,\n};\n",
    })
    mkdirSync(join(directory, "node_modules"))
    symlinkSync(join(process.cwd(), "node_modules/oxfmt"), join(directory, "node_modules/oxfmt"))
    await runInit(directory)
    expect(read(directory, "next.config.mjs")).toBe(
      "import { withPagespan } from 'pagespan/next';\n\nexport default withPagespan({\n\treactStrictMode: true,\n});\n",
    )
    expect(read(directory, "instrumentation.js")).toBe("export { register, onRequestError } from 'pagespan/server';\n")
  })
})

test("init stops at a file that changed after it was read, and writes nothing into it", async () => {
  const directory = await readyApp(withFormatter("prettier", "prettier", formatter(0, MARK)))
  // The formatter runs between reading and writing.
  const file = join(directory, "node_modules/prettier/bin.js")
  writeFileSync(
    file,
    `require("node:fs").appendFileSync(${JSON.stringify(join(directory, "next.config.mjs"))}, "// mine\\n")\n`,
  )
  await expect(runInit(directory)).rejects.toThrow("next.config.mjs changed after init read it")
  expect(read(directory, "next.config.mjs")).toMatch(/^export default \{\}\n\/\/ mine\n/)
})
