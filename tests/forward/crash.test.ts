import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { createForwarder } from "#otel/forward/index.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

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
    const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, collector.endpoint, directory], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    await waitFor("the first request", () => collector.requests.length > 0, 20_000)
    if (status === 503) await waitFor("a filled queue", () => files(directory).length >= 100)
    else await new Promise((resolve) => setTimeout(resolve, afterMs))
    child.kill("SIGKILL")
    await once(child, "exit")

    const before = status === 200 ? collector.spans().map(({ name }) => name) : []
    const left = queued(directory)
    collector.clear()
    collector.answer = { status: 200 }
    const losses: string[] = []
    const next = createForwarder({
      otlp: [collector.endpoint],
      sentry: undefined,
      allowedAddresses: ["127.0.0.1"],
      directory,
      lost: (reason, category, count) => losses.push(`${reason}/${category}=${count}`),
    })
    onTestFinished(() => next.close())
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
    expect(losses.length).toBeLessThanOrEqual(1)
  },
  60_000,
)
