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

test("a build ends with the process that waits for it", async () => {
  const project = await temporaryDirectory()
  mkdirSync(join(project, "app"))
  writeFileSync(join(project, "app/page.js"), "export default function Page() {}")
  writeFileSync(join(project, "next.config.mjs"), CONFIGURATION)
  symlinkSync(resolve("node_modules"), join(project, "node_modules"))
  const program = ["--import", "tsx", "--input-type=module", "-e", PROGRAM, project]
  const starting = spawn(process.execPath, program, { stdio: ["ignore", "ignore", "inherit"] })
  const started = join(project, "started")
  await waitFor("the build", () => existsSync(started))
  const pid = Number(readFileSync(started, "utf8"))
  onTestFinished(() => void (isProcessAlive(pid) && process.kill(pid, "SIGKILL")))
  expect(isProcessAlive(pid)).toBe(true)
  starting.kill("SIGTERM")
  await once(starting, "exit")
  await waitFor("the end of the build", () => !isProcessAlive(pid))
})
