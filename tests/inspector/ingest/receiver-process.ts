import { writeSync } from "node:fs"
import { createReceiver } from "#otel/inspector/ingest/receiver.ts"
import { MemorySink } from "./memory-sink.ts"
import { spanRecords } from "./span-records.ts"

/**
 * A test runs this program, and kills it or stops it by SIGTERM. It ingests batches of ten spans into the journal in its first argument, eight at a time,
 * while the store is down, and prints a line for each acknowledged or refused batch. The second argument is the number of
 * batches, the third the number of the first batch.
 */
const [directory = "", batches = "0", first = "0"] = process.argv.slice(2)
const sink = new MemorySink()
sink.isDown = true
const receiver = createReceiver({
  sink,
  storeState: () => "down",
  journalDirectory: directory,
  hosts: [],
  origins: [],
  token: undefined,
  drainLimitMs: 100,
})
const stop = new AbortController()
process.once("SIGTERM", () => {
  stop.abort()
  void receiver.close().then(() => process.exit(0))
})

let next = Number(first)
const end = next + Number(batches)
async function worker(): Promise<void> {
  while (next < end && !stop.signal.aborted) {
    const number = next
    next += 1
    const { outcome } = await receiver.ingest({ spans: spanRecords(10, number * 10) })
    // Synchronous, so that the line is out before the process can be killed.
    writeSync(1, `${outcome} ${number}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, worker))
// A stop ends the process itself.
if (!stop.signal.aborted) process.exit(0)
