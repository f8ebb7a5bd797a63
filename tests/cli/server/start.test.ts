import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { launch, otlpSpan, post } from "./launch-inspector.ts"

/** Nothing listens there. */
const NO_STORE = "http://127.0.0.1:9"
/** `npm start` of a checkout. */
const FROM_CHECKOUT = ["otel/cli/server/launch.mjs"]

describe("a start that fails", () => {
  test("on a taken port names the port and exits with a code other than 0", async () => {
    const other = await new RecordingServer().listen()
    onTestFinished(() => other.close())
    const app = await launch({ PORT: String(other.port) })
    const exit = await app.exited
    expect(exit.code).toBeGreaterThan(0)
    expect(app.output.trim().split("\n")).toEqual([
      `PORT is ${other.port}, which is taken on 127.0.0.1: stop the program that listens there, or set PORT`,
    ])
  })

  test("in a data directory that cannot be written names the directory", async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, "a-file")
    writeFileSync(file, "not a directory")
    chmodSync(file, 0o400)
    const app = await launch({ PAGESPAN_DATA: join(file, "data") })
    const exit = await app.exited
    expect(exit.code).toBeGreaterThan(0)
    expect(app.output.trim().split("\n")).toEqual([
      `PAGESPAN_DATA is "${join(file, "data")}", which cannot be written (ENOTDIR): set it to a directory that you can write to`,
    ])
  })

  test.each([
    [{ PORT: "abc" }, /^PORT is "abc": /],
    [{ PAGESPAN_RETENTION: "a week" }, /^PAGESPAN_RETENTION is "a week": must be an age/],
    [{ HOST: "0.0.0.0" }, /^HOST is "0\.0\.0\.0", which is not loopback: set PAGESPAN_TOKEN/],
    [{ SENTRY_DSN: "https://secret-key@nowhere" }, /^SENTRY_DSN is a value that is not shown here: must look like/],
    [{ PAGESPAN_GRPC: "maybe" }, /^PAGESPAN_GRPC is "maybe": must be on, off or a port/],
    [{ PAGESPAN_RETENTON: "1d" }, /^PAGESPAN_RETENTON is not a variable of Pagespan/],
  ])("with %o names the variable in one line", async (environment, line) => {
    const app = await launch(environment as unknown as Record<string, string>)
    const exit = await app.exited
    expect(exit.code).toBeGreaterThan(0)
    expect(app.output.trim()).toMatch(line)
    expect(app.output.trim().split("\n")).toHaveLength(1)
    expect(app.output).not.toContain("secret-key")
  })
})

describe("a start that succeeds", () => {
  test("prints its address and its data directory in two lines, and keeps acknowledged spans over Ctrl-C", async () => {
    const directory = await temporaryDirectory()
    const app = await launch({ PAGESPAN_DATA: directory, PAGESPAN_SELF: "off" }, FROM_CHECKOUT)
    await app.ready()
    expect(app.output).toMatch(/^Pagespan is on http:\/\/localhost:\d+$/m)
    expect(app.output).toMatch(new RegExp(`^Data is in ${directory}$`, "m"))
    expect(
      await post(
        app.url,
        Array.from({ length: 300 }, (_, index) => otlpSpan(index)),
      ),
    ).toBe(200)
    const exit = await app.stop("SIGINT")
    expect(exit).toEqual({ code: 0, signal: null })

    const again = await launch({ PAGESPAN_DATA: directory, PAGESPAN_SELF: "off" })
    await again.ready()
    await waitFor("all 300 traces", async () => {
      const answer = await fetch(`${again.url}/api/traces?limit=1000`)
      const { traces } = (await answer.json()) as { traces: unknown[] }
      return traces.length === 300
    })
    expect(await again.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  })

  test("says so when a stop takes long, and a second Ctrl-C ends it, which keeps acknowledged spans", async () => {
    const directory = await temporaryDirectory()
    const environment = { PAGESPAN_DATA: directory, PAGESPAN_SELF: "off" }
    const app = await launch({ ...environment, CLICKHOUSE_URL: NO_STORE })
    await waitFor("the address", () => app.output.includes("Pagespan is on "))
    expect(await post(app.url, [otlpSpan(1)])).toBe(200)
    process.kill(app.pid, "SIGINT")
    // As npm does for the Ctrl-C of a terminal.
    process.kill(app.pid, "SIGINT")
    await waitFor("the notice", () => app.output.includes("Stopping may take"))
    expect(await app.stop("SIGINT")).toEqual({ code: 1, signal: null })

    const again = await launch(environment)
    await again.ready()
    await waitFor("the trace", async () => {
      const answer = await fetch(`${again.url}/api/traces`)
      return ((await answer.json()) as { traces: unknown[] }).traces.length === 1
    })
  })

  test("acknowledges spans before the store is ready, and stores them later", async () => {
    const app = await launch({ PAGESPAN_SELF: "off" })
    const url = await waitFor("the handlers", async () => {
      const port = await portOf(app.pid)
      return port !== undefined && `http://127.0.0.1:${port}`
    })
    const answers = await waitFor("an answer", async () => post(url, [otlpSpan(1)]).catch(() => undefined))
    expect(answers).toBe(200)
    await app.ready()
    await waitFor("the trace", async () => (await fetch(`${url}/api/traces/${"a0000001".padStart(32, "0")}`)).ok)
  })
})

/** The first port that the process listens on, from `/proc`. */
async function portOf(pid: number): Promise<number | undefined> {
  const { readdir, readFile, readlink } = await import("node:fs/promises")
  const handles = await readdir(`/proc/${pid}/fd`).catch(() => [])
  const links = await Promise.all(handles.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")))
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]).filter(Boolean))
  const rows = (await readFile("/proc/net/tcp", "utf8"))
    .split("\n")
    .slice(1)
    .map((row) => row.trim().split(/\s+/))
  const row = rows.find((columns) => columns[3] === "0A" && sockets.has(columns[9]))
  return row?.[1] === undefined ? undefined : Number.parseInt(row[1].split(":")[1] ?? "", 16)
}
