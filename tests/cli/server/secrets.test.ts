import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { freePort } from "#tests/support/free-port.ts"
import { PACKAGED_START } from "#tests/support/packaged.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
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

test("no secret is in a process's command line, in a child's environment, or in the output", async () => {
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

const AUTHORIZATION = { authorization: `Bearer ${SECRET}` }

/** A span and an error, which are forwarded. */
async function ingest({ url }: RunningApp): Promise<void> {
  const time = `${Date.now()}000000`
  const span = {
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    name: "x",
    startTimeUnixNano: time,
    endTimeUnixNano: time,
  }
  const traces = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  const event = envelope({}, item("event", errorEvent())) as Uint8Array<ArrayBuffer>
  const sent = [
    await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { ...AUTHORIZATION, "content-type": "application/json" },
      body: traces,
    }),
    await fetch(`${url}/api/1/envelope/`, { method: "POST", headers: AUTHORIZATION, body: event }),
  ]
  expect(sent.map(({ status }) => status)).toEqual([200, 200])
}

test("no secret is in what failures leave: drops, health, screens, log", async () => {
  const refusing = await new RecordingServer().listen()
  onTestFinished(() => refusing.close())
  refusing.answer = { status: 403, body: `{"why":"${SECRET}"}` }
  const app = await RunningApp.launch({
    PAGESPAN_TOKEN: SECRET,
    PAGESPAN_SELF: "off",
    PAGESPAN_FORWARD_SENTRY: `http://${SECRET}@127.0.0.1:${refusing.port}/1`,
    PAGESPAN_FORWARD_OTLP: `http://user:${SECRET}@127.0.0.1:${refusing.port}/?key=${SECRET}`,
    PAGESPAN_FORWARD_ALLOWED_ADDRESSES: "127.0.0.1",
  })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  await app.ready()
  await ingest(app)
  const read = async (path: string) => (await fetch(`${app.url}${path}`, { headers: AUTHORIZATION })).text()
  await waitFor("the drops", async () => (await read("/api/dropped")).split('"forward"').length > 2)
  // The destinations got the secrets, so the test can find them.
  expect(JSON.stringify(refusing.requests.map(({ headers, path }) => [headers, path]))).toContain(SECRET)
  const [store] = descendantsOf(app.pid)
  process.kill(store!, "SIGKILL")
  await waitFor("the end of the store's process", async () => !(await fetch(`${app.url}/health`)).ok)
  for (const path of ["/api/dropped", "/health", "/dropped", "/"])
    expect([path, (await read(path)).includes(SECRET)]).toEqual([path, false])
  await app.stop()
  expect(app.output).not.toContain(SECRET)
})

test("no secret is in what a start prints that cannot reach its ClickHouse, or of an exception that nothing catches", async () => {
  const program = join(await temporaryDirectory(), "crash.mjs")
  writeFileSync(program, `process.on("SIGUSR2", () => { throw new Error("on purpose") })`)
  const app = await RunningApp.launch(
    {
      PAGESPAN_TOKEN: SECRET,
      CLICKHOUSE_URL: `http://user:${SECRET}@127.0.0.1:9/`,
      PAGESPAN_FORWARD_SENTRY: `http://${SECRET}@127.0.0.1:9/1`,
    },
    ["--import", program, PACKAGED_START],
  )
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  await waitFor("the address", () => app.output.includes("Pagespan is on "))
  const screen = await waitFor("the problem", async () => {
    const text = await (await fetch(app.url, { headers: AUTHORIZATION })).text()
    return text.includes("ClickHouse") && text
  })
  expect(screen).not.toContain(SECRET)
  process.kill(app.pid, "SIGUSR2")
  // Next's listener writes it, and lets the process go on.
  await waitFor("its text", () => app.output.includes("Error: on purpose"))
  expect(app.output).not.toContain(SECRET)
})
