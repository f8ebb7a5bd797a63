import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { freePort } from "#tests/support/free-port.ts"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** `next start` as a hosting platform runs it: without the start command, so the route files hold the handlers. */
const START = ["node_modules/next/dist/bin/next", "start"]
let directory: string
let port: number
let next: ChildProcess
let exited: Promise<number | null>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pagespan-test-"))
  port = await freePort()
  next = spawn(process.execPath, [...START, "-p", String(port), "-H", "127.0.0.1"], {
    env: environment(),
    stdio: "ignore",
  })
  exited = new Promise((resolve) => next.once("exit", resolve))
  await waitFor("health", async () => (await status("/health").catch(() => 0)) === 200, 60_000)
})

function environment(): NodeJS.ProcessEnv {
  return {
    ...cleanEnvironment(),
    PAGESPAN_DATA: directory,
    NEXT_TELEMETRY_DISABLED: "1",
  } as unknown as NodeJS.ProcessEnv
}

afterAll(async () => {
  next.kill("SIGTERM")
  await exited
  await removeDirectory(directory)
})

describe("next start without the start command, with an invalid configuration", () => {
  test("serves nothing, and names the variable", async () => {
    const own = await freePort()
    const refused = spawn(process.execPath, [...START, "-p", String(own), "-H", "127.0.0.1"], {
      env: { ...environment(), PAGESPAN_RETENTION: "a week" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const ended = new Promise((resolve) => refused.once("exit", resolve))
    let output = ""
    for (const stream of [refused.stdout, refused.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    try {
      await waitFor("the refusal", () => output.includes('PAGESPAN_RETENTION is "a week": must be an age'))
      for (const path of ["/", "/health", "/traces"])
        expect((await fetch(`http://127.0.0.1:${own}${path}`)).status).toBe(500)
    } finally {
      refused.kill("SIGTERM")
      await ended
    }
  })
})

/** Uses `node:http`, since `fetch` does not allow callers to set `Host`. */
function status(path: string, host = `127.0.0.1:${port}`): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ port, path, headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on("error", reject)
      .end()
  })
}

describe("next start without the start command", () => {
  test("stores spans and returns them", async () => {
    const traceId = "c".repeat(32)
    const now = BigInt(Date.now()) * 1_000_000n
    const span = {
      traceId,
      spanId: "d".repeat(16),
      name: "x",
      startTimeUnixNano: `${now}`,
      endTimeUnixNano: `${now + 1n}`,
    }
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe("{}")
    await waitFor("the trace", async () => (await status(`/api/traces/${traceId}`)) === 200)
    expect(await status(`/traces/${traceId}`)).toBe(200)
  })

  test("answers a coding agent", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_drops", arguments: {} },
      }),
    })
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: "Nothing was dropped." }] } })
  })

  test.each(["/health", "/live", "/api/traces"])("serves %s to no foreign host", async (path) => {
    expect(await status(path, "evil.example")).toBe(421)
  })

  test.each(["/", "/traces", "/connect"])("shows %s to no foreign host", async (path) => {
    expect(await status(path, "evil.example")).toBe(404)
    expect(await status(path)).toBe(200)
  })
})
