import { statSync, writeFileSync } from "node:fs"
import type { ReadStream } from "node:fs"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { beforeEach, expect, test, vi } from "vitest"
import { importInto } from "#otel/cli/commands/import.ts"
import { InspectorClient } from "#otel/cli/inspector-client.ts"
import { linesOf } from "#otel/cli/lines-of.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

/** `pagespan import` reads no more of a file than it can send. */

const opened = vi.hoisted((): ReadStream[] => [])
vi.mock(import("node:fs"), async (original) => {
  const fs = await original()
  const createReadStream: typeof fs.createReadStream = (...args) => {
    const stream = fs.createReadStream(...args)
    opened.push(stream)
    return stream
  }
  return { ...fs, createReadStream }
})
beforeEach(() => void opened.splice(0))

/** Node reads a file in pieces of this size. One is with the command while the next is read. */
const PIECE_BYTES = 65_536

/** A client that calls `posted` with each body, after turns of the event loop in which a file could be read on. */
function clientWith(posted: (body: string) => void): InspectorClient {
  const client = new InspectorClient({ url: "http://127.0.0.1:1", token: undefined })
  vi.spyOn(client, "post").mockImplementation(async (_path, body) => {
    for (let turns = 0; turns < 3; turns++) await turn()
    posted(String(body))
    return {} as never
  })
  return client
}

const line = (text: string) => JSON.stringify({ resourceSpans: [{ schemaUrl: text }] })

test("import sends one request at a time, and reads at most two pieces of the file ahead of it", async () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `${line(String(index).padEnd(8_000, "x"))}\n`)
  const file = join(await temporaryDirectory(), "traces.jsonl")
  writeFileSync(file, lines.join(""))
  let [sent, sentBytes, mostAhead] = [0, 0, 0]
  const client = clientWith((body) => {
    expect(`${body}\n`).toBe(lines[sent++])
    mostAhead = Math.max(mostAhead, opened[0]!.bytesRead - sentBytes)
    sentBytes += body.length + 1
  })
  expect(await importInto(client, [file])).toBe(lines.length)
  expect(sentBytes).toBe(statSync(file).size)
  // The two pieces, and the rest of the line that the piece before began.
  expect(mostAhead).toBeLessThanOrEqual(2 * PIECE_BYTES + lines[0]!.length)
})

test("the lines of a stream are taken before its next piece is requested, however many a piece has", async () => {
  const pieces = ["a\nb\nc", "d\r\n", "\n\u{1f98a}", "\ne"].map((text) => Buffer.from(text))
  let given = 0
  async function* stream() {
    for (const piece of pieces) {
      given++
      yield piece
    }
  }
  const seen: [string, number][] = []
  for await (const each of linesOf(stream(), 10)) seen.push([each, given])
  expect(seen).toEqual([
    ["a", 1],
    ["b", 1],
    ["cd", 2],
    ["", 3],
    ["\u{1f98a}", 4],
    ["e", 4],
  ])
})

test("a line that is longer than memory allows is refused while it is read", async () => {
  let given = 0
  async function* endless() {
    for (;;) {
      given++
      yield Buffer.alloc(1_000, "x")
    }
  }
  await expect(linesOf(endless(), 5_000).next()).rejects.toThrow("a line of more than 5000 characters")
  expect(given).toBe(6)
})

test("characters that the end of a piece cuts in two arrive whole, and no other character ends a line", async () => {
  const texts = [`before\u2028after`, "\u{1f98a}".repeat(40_000)]
  const file = join(await temporaryDirectory(), "traces.jsonl.gz")
  writeFileSync(file, gzipSync(texts.map((text) => `${line(text)}\n`).join("")))
  const bodies: string[] = []
  await importInto(
    clientWith((body) => bodies.push(body)),
    [file],
  )
  expect(bodies).toEqual(texts.map(line))
})

test("a gzipped file that is cut short, and one that is missing, are named with the reason", async () => {
  const directory = await temporaryDirectory()
  const cut = join(directory, "cut.jsonl.gz")
  writeFileSync(cut, gzipSync(`${line("a")}\n`).subarray(0, -9))
  const client = clientWith(() => {})
  await expect(importInto(client, [cut])).rejects.toThrow(`${cut} cannot be read (Z_BUF_ERROR)`)
  const missing = join(directory, "none.jsonl.gz")
  await expect(importInto(client, [missing])).rejects.toThrow(`${missing} cannot be read (ENOENT)`)
})
