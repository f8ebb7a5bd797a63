import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { PACKAGED_COMMAND } from "#tests/support/packaged.ts"
import { cleanEnvironment, RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { allBlocks, type Block, filesOf } from "./blocks.ts"
import { collectorProblems } from "./collector-yaml.ts"

const execute = promisify(execFile)
const REPOSITORY = process.cwd()
const SCRIPTED = new Set(["ts", "tsx"])
/**
 * The languages that a test checks; `tests/inspector/store/schema/clickhouse-guide.test.ts` checks SQL. Output and drawings have the
 * language `text` or none.
 */
const CHECKED = new Set([...SCRIPTED, "sh", "json", "yaml", "sql", "text", ""])
const blocks = allBlocks()

function blocksOf(...languages: string[]): [string, Block][] {
  return blocks.filter(({ language }) => languages.includes(language)).map((block) => [block.place, block])
}

test("every code block of the documentation has a language that a test checks", () => {
  expect(blocks.filter(({ language }) => !CHECKED.has(language)).map(({ place }) => place)).toEqual([])
})

describe("TypeScript", () => {
  test("in the documentation compiles against the package's entries", async () => {
    // Inside the project, so that its compiler settings and packages apply.
    const scratch = mkdtempSync(join(REPOSITORY, ".docs-check-"))
    try {
      const places = new Map<string, string>()
      for (const [place, block] of blocksOf(...SCRIPTED))
        for (const [index, text] of filesOf(block).entries()) {
          const name = `${place.replaceAll(/[^\w]+/g, "-")}-${index}.tsx`
          writeFileSync(join(scratch, name), `${text}\nexport {}\n`)
          places.set(name, place)
        }
      writeFileSync(join(scratch, "ambient.d.ts"), AMBIENT)
      writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(TSCONFIG))
      expect(places.size).toBeGreaterThan(8)
      const tsc = join(REPOSITORY, "node_modules/typescript/bin/tsc")
      const { stdout } = await execute(process.execPath, [tsc, "-p", scratch]).catch(
        (error: { stdout: string }) => error,
      )
      expect(stdout.trim()).toBe("")
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  })
})

/** What a code block may use without an import. */
const AMBIENT = `import type { NextConfig } from "next"
declare global {
  const nextConfig: NextConfig
  const RouteObserver: typeof import("pagespan/react").RouteObserver
  const Suspense: typeof import("react").Suspense
  const setFilters: typeof import("pagespan/filters").setFilters
}
`
const TSCONFIG = {
  extends: "../tsconfig.json",
  compilerOptions: {
    incremental: false,
    plugins: [],
    noUnusedLocals: false,
    paths: Object.fromEntries(
      ["next", "react", "route", "tunnel", "browser", "filters", "testing", "testing/playwright"]
        .map((entry) => [`pagespan/${entry}`, [`../otel/${entry}.${entry === "react" ? "tsx" : "ts"}`]])
        .concat([["pagespan/server", ["../otel/server.ts"]]]),
    ),
  },
  include: ["*.tsx", "ambient.d.ts"],
  exclude: [],
}

describe("JSON and YAML", () => {
  test.each(blocksOf("json"))("%s is JSON", (_, { text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow()
  })

  /** A job that uses one of the templates in `docs/ci`. */
  const isJob = ([, { text }]: [string, Block]) => /docs\/ci@|extends: \.pagespan/.test(text)

  test.each(blocksOf("yaml").filter(isJob))("%s is a job of a CI system", (_, { text }) => {
    expect(Object.keys(parse(text) as object).length).toBeGreaterThan(1)
  })

  test.each(blocksOf("yaml").filter((block) => !isJob(block)))(
    "%s is a Collector configuration whose pipelines name configured components",
    (_, { text }) => {
      expect(collectorProblems(text)).toEqual([])
    },
  )
})

describe("the shell", () => {
  let app: RunningApp
  let scratch: string

  beforeAll(async () => {
    app = await RunningApp.start({ PAGESPAN_SELF: "off" })
    scratch = mkdtempSync("/tmp/pagespan-docs-")
    const bin = join(scratch, "bin")
    mkdirSync(bin)
    shim(
      bin,
      "npx",
      `[ "$1" = pagespan ] || exit 90; shift\ncd "$HERE" && exec "${process.execPath}" "${PACKAGED_COMMAND}" "$@"`,
    )
    shim(bin, "npm", `exec "${process.execPath}" "${join(REPOSITORY, "tests/docs/npm-words.mjs")}" "$@"`)
    shim(bin, "curl", `exec /usr/bin/curl "\${@//http:\\/\\/localhost:4318/$PAGESPAN_URL}"`)
    // There is no ClickHouse server here: the shim checks that the statements reach its client.
    shim(bin, "clickhouse-client", `grep -q "CREATE TABLE"`)
    symlinkSync(join(REPOSITORY, "otel"), join(scratch, "otel"))
    mkdirSync(join(scratch, "app"))
    writeFileSync(join(scratch, "package.json"), "{}")
  })

  afterAll(async () => {
    await app?.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  test.each([...new Set(blocksOf("sh").map(([, { file }]) => file))])(
    "%s: its commands run in order and succeed",
    async (file) => {
      await sendTrace(app.url)
      const commands = blocks
        .filter((block) => block.language === "sh" && block.file === file)
        .map(({ text }) => `( ${text}\n)`)
      // Asynchronous, so that this process notices connections that the server closes.
      const ended = await execute("bash", ["-euc", commands.join("\n")], {
        cwd: scratch,
        env: {
          ...cleanEnvironment(),
          PATH: `${join(scratch, "bin")}:${process.env["PATH"]}`,
          PORT: new URL(app.url).port,
          PAGESPAN_URL: app.url,
          HERE: scratch,
          CI: "true",
        } as unknown as NodeJS.ProcessEnv,
        timeout: 100_000,
      }).then(
        ({ stdout, stderr }) => ({ code: 0, output: `${stdout}\n${stderr}` }),
        (error: { code: number; stdout: string; stderr: string }) => ({
          code: error.code,
          output: `${error.stdout}\n${error.stderr}`,
        }),
      )
      expect(ended).toEqual({ code: 0, output: expect.any(String) })
    },
  )
})

function shim(bin: string, name: string, script: string): void {
  const file = join(bin, name)
  writeFileSync(file, `#!/usr/bin/env bash\n${script}\n`)
  chmodSync(file, 0o755)
}

/** Sends a trace of the service `shop`, which the commands of the guides expect. */
async function sendTrace(url: string): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: "GET /cart",
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000n),
  }
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] }
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
  await fetch(`${url}/v1/traces`, { method: "POST", headers, body })
  await waitFor("the trace", async () => (await fetch(`${url}/api/traces/${span.traceId}`)).ok)
}
