import { spawn } from "node:child_process"
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { expect, onTestFinished, test } from "vitest"
import { PACKAGED_START } from "#tests/support/packaged.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** Prints a line when a signal asks for it, as Next does for an error. */
const PRINTS = `process.on("SIGUSR2", () => { console.error("a line"); console.log("a line") })`

test("an inspector whose output was closed goes on, and does not report the error of printing to it without end", async () => {
  const directory = await temporaryDirectory()
  const prints = join(directory, "prints.mjs")
  writeFileSync(prints, PRINTS)
  const environment = {
    PORT: "0",
    PAGESPAN_DATA: join(directory, "data"),
    PAGESPAN_GRPC: "off",
    PAGESPAN_SPOTLIGHT: "off",
  }
  const child = spawn(process.execPath, ["--import", prints, PACKAGED_START], {
    env: { PATH: process.env["PATH"] ?? "", ...environment } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
  await waitFor("the line with the URL", () => output.includes("Data is in"), 60_000)
  const url = /^Pagespan is on (http:\S+)$/m.exec(output)?.[1] ?? ""

  for (const stream of [child.stdout, child.stderr]) stream.destroy()
  const uncaught = async () => ((await (await fetch(`${url}/health`)).json()) as { uncaught: object }).uncaught
  for (let line = 0; line < 5; line++) {
    child.kill("SIGUSR2")
    expect(await uncaught()).toEqual({})
  }
  expect(child.exitCode).toBeNull()
}, 90_000)
