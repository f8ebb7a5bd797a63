import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { createForwarder } from "#otel/inspector/forward/forwarder.ts"
import { bundledProgram } from "#tests/support/bundled-program.ts"
import { KILLS } from "#tests/support/kills.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

const PROGRAM = fileURLToPath(new URL("forwarder-process.ts", import.meta.url))

const files = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** The names of the spans in the complete files of the queue. */
function queued(directory: string): string[] {
  return files(directory)
    .filter((file) => !file.endsWith(".unfinished"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/"name":"(span \d+)"/g)].map(([, name]) => name ?? ""))
}

const NUMBER = /^span (\d+)$/
const numberOf = (name: string) => Number(NUMBER.exec(name)?.[1])

/** Starts a forwarder on the queue of the killed process. It adds its drops to `drops`. */
function startForwarder(endpoint: string, directory: string, drops: string[]): void {
  const next = createForwarder({
    otlp: [endpoint],
    sentry: undefined,
    allowedAddresses: ["127.0.0.1"],
    directory,
    recordDrop: (reason, category, count) => drops.push(`${reason}/${category}=${count}`),
  })
  onTestFinished(() => next.close())
}

test.each([
  ["that fills while its collector is down", 503, 200],
  ["that is being sent", 200, 0],
  ["that is being sent, a moment later", 200, 60],
])(
  "after a kill with a queue %s, the next process delivers all of it, with at most one delivery repeated",
  async (_, status, afterMs) => {
    const directory = await temporaryDirectory()
    const collector = await new RecordingCollector().listen()
    onTestFinished(() => collector.close())
    collector.answer = { status }
    const child = spawn(process.execPath, [await bundledProgram(PROGRAM), collector.endpoint, directory], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    await waitFor("the first request", () => collector.requests.length > 0)
    if (status === 503) await waitFor("a filled queue", () => files(directory).length >= 100)
    else await sleep(afterMs)
    child.kill("SIGKILL")
    await once(child, "exit")

    const before = status === 200 ? collector.spans().map(({ name }) => name) : []
    const remaining = queued(directory)
    collector.clear()
    collector.answer = { status: 200 }
    const drops: string[] = []
    startForwarder(collector.endpoint, directory, drops)
    await waitFor("an empty queue", () => files(directory).length === 0)
    const after = collector.spans().map(({ name }) => name)
    // Each once, and perhaps a file that was complete and not renamed yet.
    expect(new Set(after).size).toBe(after.length)
    expect(after).toEqual(expect.arrayContaining(remaining))
    expect(after.length - remaining.length).toBeLessThanOrEqual(1)
    // Only the delivery in flight at the time of the kill is repeated.
    expect(after.filter((name) => before.includes(name)).length).toBeLessThanOrEqual(1)
    // A missing delivery was truncated by the kill, and is counted.
    const all = [...new Set([...before, ...after])].map(numberOf).toSorted((a, b) => a - b)
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => index))
    expect(drops.length).toBeLessThanOrEqual(1)
  },
  60_000,
)

/** The numbers that each process may use, so that those of two processes differ. */
const NUMBERS = 1_000_000
/** The maximum time between the first offer and the kill, in milliseconds. */
const LATEST_KILL_MS = 150

test(
  `after each of ${KILLS} kills under load, the next process delivers every complete file of the queue`,
  async () => {
    const [directory, program, collector] = await Promise.all([
      temporaryDirectory(),
      bundledProgram(PROGRAM),
      new RecordingCollector().listen(),
    ])
    onTestFinished(() => collector.close())
    const complete = new Set<string>()
    const delivered: string[] = []
    const drops: string[] = []
    const deliver = () => delivered.push(...collector.spans().map(({ name }) => name))
    for (let kill = 0; kill < KILLS; kill++) {
      collector.answer = { status: kill % 2 === 0 ? 503 : 200 }
      const child = spawn(process.execPath, [program, collector.endpoint, directory, String(kill * NUMBERS)])
      onTestFinished(() => void child.kill("SIGKILL"))
      child.stderr.on("data", (lines: Buffer) => drops.push(...lines.toString().trim().split("\n")))
      await once(child.stdout, "data")
      await sleep(Math.random() * LATEST_KILL_MS)
      child.kill("SIGKILL")
      await once(child, "close")
      for (const name of queued(directory)) complete.add(name)
      if (collector.answer.status === 200) deliver()
      collector.clear()
    }
    collector.answer = { status: 200 }
    startForwarder(collector.endpoint, directory, drops)
    await waitFor("an empty queue", () => files(directory).length === 0)
    deliver()
    const arrived = new Set(delivered)
    console.info(`${KILLS} kills: ${complete.size} complete, ${arrived.size} arrived, ${delivered.length} sent`)
    expect(complete.size).toBeGreaterThan(KILLS)
    expect([...complete].filter((name) => !arrived.has(name))).toEqual([])
    // Each kill repeats at most one delivery and truncates at most one file.
    expect(delivered.length - arrived.size).toBeLessThanOrEqual(KILLS)
    expect(drops.filter((drop) => !drop.startsWith("malformed/"))).toEqual([])
    expect(drops.length).toBeLessThanOrEqual(KILLS)
  },
  30_000 + KILLS * 2_000,
)
