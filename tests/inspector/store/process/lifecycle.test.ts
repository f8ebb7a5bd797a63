import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { isProcessAlive } from "#otel/inspector/process-alive.ts"
import { StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { directoryOwner } from "#otel/inspector/store/process/directory.ts"
import { secret } from "#otel/protocol/secret.ts"
import { sleep } from "#tests/support/wait-for.ts"
import { directoryOfTest } from "../directories.ts"
import { ago, span, traceId } from "../spans.ts"
import { storeOfTest } from "../stores.ts"
import { openTestStore } from "../test-store.ts"
import { clientOf, ended, forkStore, open, portOf, processOfTest, stop, TOKEN } from "./processes.ts"

describe("a store process", () => {
  test("stops with exit code 0, after the inserts in flight", async () => {
    const directory = directoryOfTest()
    const child = forkStore()
    const client = clientOf(await portOf(child, directory))
    await client.command({ query: "CREATE TABLE t (n UInt32, INDEX i n TYPE minmax) ENGINE = MergeTree ORDER BY n" })
    const inserts = [1, 2, 3].map((n) => client.insert({ table: "t", values: [{ n }], format: "JSONEachRow" }))
    await inserts[0]
    child.send({ type: "stop" })
    const outcomes = await Promise.allSettled(inserts)
    expect(await ended(child)).toStrictEqual({ code: 0, signal: null })
    const again = processOfTest()
    const answer = await clientOf(await portOf(again, directory)).query({
      query: "SELECT count() FROM t",
      format: "TabSeparated",
    })
    const acknowledged = outcomes.filter(({ status }) => status === "fulfilled").length
    expect(Number(await answer.text())).toBeGreaterThanOrEqual(acknowledged)
  })

  test("ends when the app that started it is killed", async () => {
    const { parent, pid } = await startParent(directoryOfTest())
    await once(parent, "message")
    expect(isProcessAlive(pid)).toBe(true)
    parent.kill("SIGKILL")
    await expect.poll(() => isProcessAlive(pid)).toBe(false)
  })

  test("ends when the app that started it is killed while the engine starts, which blocks the process", async () => {
    const directory = directoryOfTest()
    const { parent, pid } = await startParent(directory)
    // The engine creates this file first, and takes some thirty milliseconds more.
    while (!existsSync(join(directory, "status"))) await sleep(1)
    process.kill(pid, "SIGSTOP")
    parent.kill("SIGKILL")
    await ended(parent)
    process.kill(pid, "SIGCONT")
    await expect.poll(() => isProcessAlive(pid), { timeout: 10_000 }).toBe(false)
  })

  test("names the process that has its directory open, and does not disturb it", async () => {
    const directory = directoryOfTest()
    const first = processOfTest()
    const client = clientOf(await portOf(first, directory))
    await client.command({ query: "CREATE TABLE t (n UInt32) ENGINE = MergeTree ORDER BY n" })
    await client.insert({ table: "t", values: [{ n: 1 }], format: "JSONEachRow" })
    const second = forkStore()
    expect(await open(second, directory)).toStrictEqual({
      type: "failed",
      reason: `The store directory ${directory} is already open in process ${first.pid}. Stop that process, or set PAGESPAN_DATA to another directory.`,
      permanent: false,
    })
    expect((await ended(second)).code).toBe(1)
    const answer = await client.query({ query: "SELECT n FROM t", format: "TabSeparated" })
    expect(await answer.text()).toBe("1\n")
  })

  test("opens a directory whose last owner was killed", async () => {
    const directory = directoryOfTest()
    const first = forkStore()
    await portOf(first, directory)
    first.kill("SIGKILL")
    await ended(first)
    expect((await open(processOfTest(), directory)).type).toBe("listening")
  })
})

describe("a store", () => {
  test("has the state starting at once, and refuses work until it is ready", async () => {
    const store = storeOfTest({ dataDirectory: directoryOfTest() })
    const states: string[] = []
    store.onStateChange((state) => states.push(state))
    expect(store.state).toBe("starting")
    await expect(store.listTraces({ limit: 1 })).rejects.toThrow(StoreUnavailable)
    await store.ready()
    expect(await store.listTraces({ limit: 1 })).toStrictEqual({ traces: [], next: undefined })
    await store.close()
    await expect(store.insertSpans([span(1, 1)], "late")).rejects.toThrow(StoreUnavailable)
    await expect(store.ready()).rejects.toThrow("The store is closed.")
    expect(states).toStrictEqual(["ready", "closed"])
  })

  test("can be closed while it starts", async () => {
    const store = storeOfTest({ dataDirectory: directoryOfTest() })
    const [ready] = await Promise.allSettled([store.ready(), store.close()])
    expect(ready).toMatchObject({ status: "rejected", reason: new StoreUnavailable("The store is closed.") })
  })

  // Without the limit of the caller, it waits ten seconds for the statement, and then ten for the process.
  test("whose process hangs is closed in the time that its caller has", { timeout: 15_000 }, async () => {
    const dataDirectory = directoryOfTest()
    const store = storeOfTest({ dataDirectory })
    await store.ready()
    await store.insertSpans([span(1, 1, { startTime: ago(100) })], "before")
    const pid = directoryOwner(join(dataDirectory, "clickhouse")) ?? 0
    process.kill(pid, "SIGSTOP")
    const statement = store.readTrace(traceId(1)).catch((error: unknown) => error)
    await store.close(100)
    expect(isProcessAlive(pid)).toBe(false)
    expect(await statement).toBeInstanceOf(StoreUnavailable)
    const again = storeOfTest({ dataDirectory })
    await again.ready()
    expect(await again.readTrace(traceId(1))).toHaveLength(1)
  })

  test("can never be ready in a directory that cannot be created", async () => {
    const file = join(directoryOfTest(), "file")
    writeFileSync(file, "")
    const store = storeOfTest({ dataDirectory: file })
    await expect(store.ready()).rejects.toThrow(
      /^The store directory .*file\/clickhouse cannot be created: a part of the path is not a directory\. Set PAGESPAN_DATA to a directory\.$/,
    )
    expect(store.state).toBe("down")
    expect(store.problem).toMatch(/cannot be created/)
  })

  test("waits, with the reason, while another process has its directory open, and then opens it", async () => {
    const dataDirectory = directoryOfTest()
    const first = storeOfTest({ dataDirectory })
    await first.ready()
    await first.insertSpans([span(1, 1, { startTime: ago(100) })], "first")
    const second = storeOfTest({ dataDirectory })
    await expect.poll(() => second.problem).toMatch(/is already open in process \d+\. Stop that process, /)
    expect(second.state).toBe("down")
    await first.close()
    await second.ready()
    expect(second.problem).toBeUndefined()
    expect(await second.readTrace(traceId(1))).toHaveLength(1)
  })

  test("connects to a ClickHouse by URL, and reports the reason while it is down", async () => {
    const child = forkStore()
    const port = await portOf(child, directoryOfTest())
    const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
    const store = storeOfTest({ url })
    await store.ready()
    await store.insertSpans([span(1, 1)], "by url")
    expect(await store.readTrace(traceId(1))).toHaveLength(1)
    await stop(child)
    await expect(store.readTrace(traceId(1))).rejects.toThrow(StoreUnavailable)
    expect(store.state).toBe("down")
    expect(store.problem).toMatch(/^ClickHouse does not respond: /)
    expect(store.problem).not.toContain(TOKEN)
  })

  test("reports why its process cannot start", async () => {
    const store = storeOfTest({ dataDirectory: directoryOfTest(), processFile: "otel/inspector/store/nowhere.ts" })
    await expect
      .poll(() => store.problem)
      .toMatch(/^The store process ended with code 1: Error .*Cannot find module .*nowhere/)
    expect(store.state).toBe("down")
  })

  test("can never be ready with a URL that ClickHouse's client rejects", async () => {
    const store = storeOfTest({ url: secret("http://default:hidden@127.0.0.1:1/?nonsense=1") })
    await expect(store.ready()).rejects.toThrow(/nonsense/)
    expect(store.problem).not.toContain("hidden")
  })

  test("with a password that the server does not accept is down, with the reason", async () => {
    const port = await portOf(processOfTest(), directoryOfTest())
    const store = storeOfTest({ url: secret(`http://default:wrong@127.0.0.1:${port}`) })
    await expect.poll(() => store.problem).toBe("ClickHouse is unavailable: it does not accept our password (code 516)")
  })
})

test("a store process that hangs is killed and restarted, and the stored rows are there", async () => {
  const location = { dataDirectory: directoryOfTest(), hangMs: 1_200 }
  const store = openTestStore(location, { retentionMs: 86_400_000 })
  onTestFinished(() => store.close())
  await store.ready()
  await store.insertSpans([span(1, 1)], "before")
  // A stopped process is alive and holds its port, and does not respond.
  const pid = Number(directoryOwner(join(location.dataDirectory, "clickhouse")))
  process.kill(pid, "SIGSTOP")
  await expect.poll(() => store.problem).toBe("The store process did not respond for 1.2 s.")
  await store.ready()
  expect(isProcessAlive(pid)).toBe(false)
  expect(await store.readTrace(traceId(1))).toHaveLength(1)
})

/** A process that starts a store process, whose id it gives. It sends a message once the store is open. */
async function startParent(directory: string) {
  const parent = fork("tests/inspector/store/process/process-parent.ts", [directory], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  })
  const [pid] = (await once(parent, "message")) as [number]
  return { parent, pid }
}
