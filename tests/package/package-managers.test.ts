import { execFile, spawn } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { packPackage } from "./foreign-app.ts"
import { lockedPackages } from "./locked-packages.ts"

const execute = promisify(execFile)
const REPOSITORY = join(import.meta.dirname, "../..")
const versions = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as Record<
  "dependencies" | "devDependencies",
  Record<string, string>
>
const TOOLS = ["typescript", "@types/node", "@types/react", "@types/react-dom"]
const RUN_LIMIT_MS = 400_000

interface PackageManager {
  readonly name: string
  /** Path of its program within `tools`. */
  readonly program: string
  readonly install: readonly string[]
  /** Its configuration, by file name. */
  readonly files?: Readonly<Record<string, string>>
  /** Arguments before the name of a program of the app. */
  readonly execute: readonly string[]
}

const YARN = {
  program: "@yarnpkg/cli-dist/bin/yarn.js",
  install: ["install", "--no-immutable"],
  execute: ["exec"],
}
const yarnSettings = (linker: string) => ({
  ".yarnrc.yml": `nodeLinker: ${linker}\nenableTelemetry: false\nenableScripts: false\n`,
  "yarn.lock": "",
})

const MANAGERS: readonly PackageManager[] = [
  {
    name: "pnpm, whose layout hides what a package does not list",
    program: "pnpm/bin/pnpm.cjs",
    install: ["install", "--ignore-scripts", "--no-frozen-lockfile"],
    execute: ["exec"],
    files: { ".npmrc": "hoist=false\nstrict-peer-dependencies=true\nauto-install-peers=false\n" },
  },
  { name: "yarn with node-modules", ...YARN, files: yarnSettings("node-modules") },
  { name: "yarn with Plug'n'Play", ...YARN, files: yarnSettings("pnp") },
]

let collector: RecordingCollector
let tools: string
let tarball: string

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  ;[tools, tarball] = await Promise.all([lockedPackages("package-managers"), packPackage()])
}, RUN_LIMIT_MS)

afterAll(() => collector?.close())

/** A new app that has Next and the tarball. */
async function createApp(next = versions.dependencies["next"]!): Promise<string> {
  const directory = await temporaryDirectory()
  cpSync(join(import.meta.dirname, "apps/fresh"), directory, { recursive: true })
  cpSync(tarball, join(directory, "pagespan.tgz"))
  const manifest = {
    name: "shop",
    private: true,
    dependencies: {
      next,
      react: versions.dependencies["react"],
      "react-dom": versions.dependencies["react-dom"],
      pagespan: "file:./pagespan.tgz",
    },
    devDependencies: Object.fromEntries(
      TOOLS.map((name) => [name, versions.devDependencies[name] ?? versions.dependencies[name]]),
    ),
  }
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest, undefined, 2))
  return directory
}

const environment = () =>
  ({
    ...cleanEnvironment(),
    NODE_ENV: "production",
    NEXT_TELEMETRY_DISABLED: "1",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  }) as unknown as NodeJS.ProcessEnv

describe.each(MANAGERS)("an app installed by $name", ({ program, install, files = {}, execute: before }) => {
  test("builds, starts, and sends the span of a request", { timeout: RUN_LIMIT_MS }, async () => {
    const directory = await createApp()
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const manager = join(tools, program)
    // Development packages are needed for the build.
    await execute(process.execPath, [manager, ...install], {
      cwd: directory,
      env: { ...environment(), NODE_ENV: "development" },
    })
    await execute(process.execPath, [manager, ...before, "next", "build"], { cwd: directory, env: environment() })
    const port = await freePort()
    const start = [manager, ...before, "next", "start", "--port", String(port), "--hostname", "127.0.0.1"]
    const server = spawn(process.execPath, start, { cwd: directory, env: environment(), detached: true, stdio: "pipe" })
    let output = ""
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    onTestFinished(() => void process.kill(-server.pid!, "SIGKILL"))
    const url = `http://127.0.0.1:${port}/shop/items/7`
    await waitFor("an answer", () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${output}`)
    })
    collector.clear()
    await fetch(url)
    await collector.waitForSpan("of the request", ({ name }) => name === "GET /items/[id]")
    expect(output).not.toContain("pagespan:")
  })
})

test("npm installs it beside a canary of Next", async () => {
  const directory = await createApp("16.5.0-canary.38")
  rmSync(join(directory, "src"), { recursive: true })
  await execute("npm", ["install", "--package-lock-only", "--ignore-scripts", "--prefer-offline"], { cwd: directory })
  const { packages } = JSON.parse(readFileSync(join(directory, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version?: string }>
  }
  expect(packages["node_modules/next"]?.version).toBe("16.5.0-canary.38")
})
