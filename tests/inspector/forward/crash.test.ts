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

/** Names of the spans in the queue's whole files. */
function queued(directory: string): string[] {
  return files(directory)
    .filter((file) => !file.endsWith(".unfinished"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/"name":"(span \d+)"/g)].map(([, name]) => name ?? ""))
}

const NUMBER = /^span (\d+)$/
const numberOf = (name: string) => Number(NUMBER.exec(name)?.[1])

/** The process after the one that was killed. What it gives up it tells in `drops`. */
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
  ["that fills while its collector is away", 503, 200],
  ["that is being sent", 200, 0],
  ["that is being sent, a moment later", 200, 60],
])(
  "killed with a queue %s, the next process delivers all of it, what was on its way at most twice",
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
    const left = queued(directory)
    collector.clear()
    collector.answer = { status: 200 }
    const drops: string[] = []
    startForwarder(collector.endpoint, directory, drops)
    await waitFor("an empty queue", () => files(directory).length === 0)
    const after = collector.spans().map(({ name }) => name)
    // Each once; a file that was whole but not named yet comes beside them.
    expect(new Set(after).size).toBe(after.length)
    expect(after).toEqual(expect.arrayContaining(left))
    expect(after.length - left.length).toBeLessThanOrEqual(1)
    // Only what was on its way when the process died is sent a second time.
    expect(after.filter((name) => before.includes(name)).length).toBeLessThanOrEqual(1)
    // What had been offered and is not here was cut short, and is counted.
    const all = [...new Set([...before, ...after])].map(numberOf).toSorted((a, b) => a - b)
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => index))
    expect(drops.length).toBeLessThanOrEqual(1)
  },
  60_000,
)

/** Numbers of one process, from which those of the next differ. */
const NUMBERS = 1_000_000
/** Longest time between the first offer and the kill, in milliseconds. */
const LATEST_KILL_MS = 150

test(
  `killed at ${KILLS} moments under load, one process after another delivers what was whole in the queue`,
  async () => {
    const [directory, program, collector] = await Promise.all([
      temporaryDirectory(),
      bundledProgram(PROGRAM),
      new RecordingCollector().listen(),
    ])
    onTestFinished(() => collector.close())
    const whole = new Set<string>()
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
      for (const name of queued(directory)) whole.add(name)
      if (collector.answer.status === 200) deliver()
      collector.clear()
    }
    collector.answer = { status: 200 }
    startForwarder(collector.endpoint, directory, drops)
    await waitFor("an empty queue", () => files(directory).length === 0)
    deliver()
    const arrived = new Set(delivered)
    console.info(`${KILLS} kills: ${whole.size} whole, ${arrived.size} arrived, ${delivered.length} sent`)
    expect(whole.size).toBeGreaterThan(KILLS)
    expect([...whole].filter((name) => !arrived.has(name))).toEqual([])
    // Each kill leaves at most one delivery that is sent again, and at most one file that was cut short.
    expect(delivered.length - arrived.size).toBeLessThanOrEqual(KILLS)
    expect(drops.filter((drop) => !drop.startsWith("malformed/"))).toEqual([])
    expect(drops.length).toBeLessThanOrEqual(KILLS)
  },
  30_000 + KILLS * 2_000,
)
