import { execFile, type ExecFileOptions, spawn } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { packPackage } from "./foreign-app.ts"
import { lockedPackages } from "./locked-packages.ts"

/** Runs a program of Node to its end. Rejects with its output when it fails. */
async function run(parameters: readonly string[], options: ExecFileOptions): Promise<void> {
  await promisify(execFile)(process.execPath, parameters, options).catch((error: Error & { stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ""}`)
  })
}

const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Record<
  "dependencies" | "devDependencies",
  Record<string, string>
>
const PACKAGES = ["next", "react", "react-dom", "typescript", "@types/node", "@types/react", "@types/react-dom"]

/** Ends a start that hangs. With Plug'n'Play a start takes 10 s of CPU: Node reads each module of Next from an archive. */
const START_LIMIT_MS = 120_000

interface PackageManager {
  readonly name: string
  /** Path of its program below `node_modules`. */
  readonly program: string
  readonly install: readonly string[]
  /** Its configuration, by file name. */
  readonly files: Readonly<Record<string, string>>
  readonly buildArguments?: readonly string[]
}

const YARN = { program: "@yarnpkg/cli-dist/bin/yarn.js", install: ["install", "--no-immutable"] }
const yarnSettings = (...lines: readonly string[]) => ({
  ".yarnrc.yml": ["enableTelemetry: false", "enableScripts: false", ...lines].join("\n"),
  "yarn.lock": "",
})

const MANAGERS: readonly PackageManager[] = [
  {
    name: "pnpm, with a layout that hides what a package does not list",
    program: "pnpm/bin/pnpm.cjs",
    install: ["install", "--ignore-scripts", "--no-frozen-lockfile"],
    files: { ".npmrc": "hoist=false\nstrict-peer-dependencies=true\nauto-install-peers=false\n" },
  },
  { name: "yarn with node-modules", ...YARN, files: yarnSettings("nodeLinker: node-modules") },
  {
    name: "yarn with Plug'n'Play",
    ...YARN,
    files: {
      ...yarnSettings("nodeLinker: pnp", "pnpEnableEsmLoader: true"),
      // Next requires what a `next.config.ts` imports, and Plug'n'Play finds no ES module for `require`. TypeScript 7 finds none at all.
      "next.config.mjs": `import { withPagespan } from "pagespan/next"
export default withPagespan({ basePath: "/shop", cacheComponents: true, typescript: { ignoreBuildErrors: true } })`,
    },
    // Turbopack does not support Plug'n'Play.
    buildArguments: ["--webpack"],
  },
]

let collector: RecordingCollector
let managers: string
let tarball: string

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  ;[managers, tarball] = await Promise.all([lockedPackages("package-managers"), packPackage()])
})

afterAll(() => collector?.close())

/** A new app that lists Next and the tarball, and has nothing installed. */
async function createApp(files: PackageManager["files"]): Promise<string> {
  const directory = await temporaryDirectory()
  cpSync(join(import.meta.dirname, "apps/fresh"), directory, { recursive: true })
  cpSync(tarball, join(directory, "pagespan.tgz"))
  const versions = PACKAGES.map((name) => [name, dependencies[name] ?? devDependencies[name]])
  const manifest = {
    name: "shop",
    private: true,
    dependencies: { ...Object.fromEntries(versions), pagespan: "file:./pagespan.tgz" },
    scripts: { next: "next" },
  }
  writeFileSync(join(directory, "package.json"), JSON.stringify(manifest))
  if ("next.config.mjs" in files) rmSync(join(directory, "next.config.ts"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

test.each(MANAGERS)(
  "an app installed by $name builds, starts, and sends the span of a request",
  async ({ program, install, files, buildArguments = [] }) => {
    const cwd = await createApp(files)
    const manager = join(managers, program)
    const env = {
      ...cleanEnvironment(),
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    } as NodeJS.ProcessEnv
    await run([manager, ...install], { cwd, env })
    await run([manager, "run", "next", "build", ...buildArguments], { cwd, env })

    const port = await freePort()
    const start = [manager, "run", "next", "start", "--port", String(port), "--hostname", "127.0.0.1"]
    const server = spawn(process.execPath, start, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    onTestFinished(() => void process.kill(-server.pid!, "SIGKILL"))
    let output = ""
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const url = `http://127.0.0.1:${port}/shop/items/7`
    const answers = () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    await waitFor("an answer", answers, START_LIMIT_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${output}`)
    })
    collector.clear()
    await fetch(url)
    await collector.waitForSpan("of the request", ({ name }) => name === "GET /items/[id]")
    expect(output).not.toContain("pagespan:")
  },
)
