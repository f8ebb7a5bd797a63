import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { isProcessAlive } from "#otel/inspector/process-alive.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** An app whose configuration says that it is loaded, and never is. */
const CONFIGURATION = `
import { renameSync, writeFileSync } from "node:fs"
writeFileSync("started.part", String(process.pid))
renameSync("started.part", "started")
setInterval(() => {}, 1_000)
await new Promise(() => {})
`
const PROGRAM = `
const { build } = await import(${JSON.stringify(resolve("otel/cli/server/build.ts"))})
process.once("SIGTERM", () => process.exit(0))
await build(process.argv[1])
`
/** An app whose configuration makes the build, once it may: `next build` ends well then. */
const SHORT_BUILD = `
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
appendFileSync("builds", "build\\n")
while (!existsSync("go")) await new Promise((done) => setTimeout(done, 20))
mkdirSync(".next", { recursive: true })
writeFileSync(".next/BUILD_ID", "id")
process.exit(0)
`
const BUILD_ONCE = `
const { buildOnce } = await import(${JSON.stringify(resolve("otel/cli/server/build.ts"))})
await buildOnce(process.argv[1])
`

async function project(configuration: string): Promise<string> {
  const directory = await temporaryDirectory()
  mkdirSync(join(directory, "app"))
  writeFileSync(join(directory, "app/page.js"), "export default function Page() {}")
  writeFileSync(join(directory, "next.config.mjs"), configuration)
  symlinkSync(resolve("node_modules"), join(directory, "node_modules"))
  return directory
}

test("a process that needs the build which another one makes waits for it, says so, and builds nothing", async () => {
  const directory = await project(SHORT_BUILD)
  const start = () => {
    const program = ["--import", "tsx", "--input-type=module", "-e", BUILD_ONCE, directory]
    const child = spawn(process.execPath, program, { stdio: ["ignore", "ignore", "pipe"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const said = { stderr: "" }
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text))
    return { said, ended: once(child, "exit") }
  }
  const builds = join(directory, "builds")
  const first = start()
  await waitFor("the build", () => existsSync(builds))
  const second = start()
  await waitFor(
    "the wait or a second build",
    () => second.said.stderr !== "" || readFileSync(builds, "utf8").length > 6,
  )
  writeFileSync(join(directory, "go"), "")
  expect([await first.ended, await second.ended]).toStrictEqual([
    [0, null],
    [0, null],
  ])
  expect(readFileSync(builds, "utf8")).toBe("build\n")
  expect(second.said.stderr).toBe("Another process is building in this directory: waiting for it\n")
})

test("a build ends with the process that waits for it", async () => {
  const directory = await project(CONFIGURATION)
  const program = ["--import", "tsx", "--input-type=module", "-e", PROGRAM, directory]
  const starting = spawn(process.execPath, program, { stdio: ["ignore", "ignore", "inherit"] })
  const started = join(directory, "started")
  await waitFor("the build", () => existsSync(started))
  const pid = Number(readFileSync(started, "utf8"))
  onTestFinished(() => void (isProcessAlive(pid) && process.kill(pid, "SIGKILL")))
  expect(isProcessAlive(pid)).toBe(true)
  starting.kill("SIGTERM")
  await once(starting, "exit")
  await waitFor("the end of the build", () => !isProcessAlive(pid))
})
