import { writeSync } from "node:fs"
import { createReceiver } from "#otel/inspector/ingest/receiver.ts"
import { MemorySink } from "./memory-sink.ts"
import { spanRecords } from "./span-records.ts"

/**
 * Run as a process of its own, to be killed: admits batches of ten spans to the journal in its first argument, eight at
 * a time, with a store that is away, and writes a line for each batch that was acknowledged or refused. The second
 * argument says how many batches, the third the number of the first.
 */
const [directory = "", batches = "0", first = "0"] = process.argv.slice(2)
const sink = new MemorySink()
sink.isAway = true
const receiver = createReceiver({
  sink,
  storeState: () => "down",
  journalDirectory: directory,
  hosts: [],
  origins: [],
  token: undefined,
})

let next = Number(first)
const end = next + Number(batches)
async function worker(): Promise<void> {
  while (next < end) {
    const number = next
    next += 1
    const { outcome } = await receiver.ingest({ spans: spanRecords(10, number * 10) })
    // Synchronously, so that what was acknowledged has been said before anything can kill the process.
    writeSync(1, `${outcome} ${number}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, worker))
process.exit(0)
