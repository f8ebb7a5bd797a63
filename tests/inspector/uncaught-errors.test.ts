import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const PROGRAM = join(import.meta.dirname, "uncaught-program.ts")
const run = (...parameters: string[]) =>
  spawnSync(process.execPath, ["--import", "tsx", PROGRAM, ...parameters], { encoding: "utf8" })

test("errors that Next's listeners keep from ending the process are counted by reason", () => {
  const { status, stdout } = run("next")
  expect([status, JSON.parse(stdout)]).toEqual([0, { uncaught_exception: 1, unhandled_rejection: 2 }])
})

test("without those listeners an error ends the process as before", () => {
  const { status, stderr } = run()
  expect(status).toBe(1)
  expect(stderr).toContain("Error: thrown by a timer")
})
