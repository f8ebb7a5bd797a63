import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { freePort } from "#tests/support/free-port.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const SECRET = "canary0battery0staple"

/** Processes that descend from the one given, by their ids. */
function descendantsOf(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const parent = /^PPid:\s+(\d+)$/m.exec(procFile(Number(name), "status"))?.[1]
      return parent === undefined ? [] : [[Number(name), Number(parent)] as const]
    })
  const below = (of: number): number[] =>
    parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...below(child)])
  return below(pid)
}

/** A process may end at any time. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8")
  } catch {
    return ""
  }
}

test("no secret is in the command line of a process, in the environment of a child, or in what is printed", async () => {
  const directory = await temporaryDirectory()
  const editor = join(directory, "editor")
  const seen = join(directory, "seen")
  writeFileSync(editor, `#!/bin/sh\nenv > ${seen}.part; mv ${seen}.part ${seen}\n`, { mode: 0o700 })
  writeFileSync(join(directory, "cart.ts"), "line 1")
  const forward = await freePort()
  const app = await RunningApp.launch({
    PAGESPAN_TOKEN: SECRET,
    SENTRY_DSN: `http://${SECRET}@127.0.0.1:${forward}/1`,
    PAGESPAN_FORWARD_SENTRY: `http://${SECRET}@127.0.0.1:${forward}/1`,
    PAGESPAN_FORWARD_OTLP: `http://user:${SECRET}@127.0.0.1:${forward}/`,
    PAGESPAN_FORWARD_ALLOWED_ADDRESSES: "127.0.0.1",
    PAGESPAN_SOURCE_ROOT: directory,
    PAGESPAN_EDITOR: `${editor} {file}`,
  })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  await app.ready()
  const authorization = `Bearer ${SECRET}`
  const opened = await fetch(`${app.url}/open`, { method: "POST", headers: { authorization }, body: "cart.ts" })
  expect(opened.status).toBe(204)
  const environment = await waitFor("the editor", () => textOf(seen))
  expect(environment).toContain("PATH=")
  expect(environment).not.toContain(SECRET)
  const [store, ...others] = descendantsOf(app.pid)
  expect(store).toBeGreaterThan(0)
  for (const pid of [store!, ...others]) expect(procFile(pid, "environ")).not.toContain(SECRET)
  for (const pid of [app.pid, store!, ...others]) expect(procFile(pid, "cmdline")).not.toContain(SECRET)
  const wrong = await fetch(`${app.url}/live`, { headers: { authorization: `Bearer ${SECRET}x` } })
  expect(wrong.status).toBe(401)
  expect(await wrong.text()).not.toContain(SECRET)
  await app.stop()
  expect(app.output).not.toContain(SECRET)
})

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
