import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Argv } from "yargs"
import { type Connection, withConnection } from "../connection.ts"
import { CommandError, EXIT } from "../exit.ts"
import { InspectorClient } from "../inspector-client.ts"

export function importCommand(parser: Argv): Argv {
  return parser.command(
    "import <files..>",
    "Take in files of OTLP/JSON: spans and logs, JSON lines or one text, gzip too",
    (command) =>
      withConnection(command)
        .positional("files", { type: "string", array: true, demandOption: true, describe: "Paths; - is the input" })
        .example("$0 import traces.jsonl", "What export or the Collector's file exporter wrote"),
    async (options) => {
      const { importFiles } = await import("./import.ts")
      await importFiles(options)
    },
  )
}

type Signal = "traces" | "logs"

/** What holds the groups of each signal in a request of OTLP/JSON. */
const SIGNALS: Readonly<Record<string, Signal>> = { resourceSpans: "traces", resourceLogs: "logs" }
/** A whole file as one JSON text is read at once: no more than this. */
const WHOLE_FILE_LIMIT = 256 * 2 ** 20

export interface ImportOptions extends Connection {
  /** Paths; `-` is the standard input. */
  readonly files: readonly string[]
}

interface Total {
  requests: number
  refused: number
}

/** `pagespan import`: files of OTLP/JSON, one request a line or one in the whole file, gzip or not, go through the handlers. */
export async function importFiles({ files, ...connection }: ImportOptions): Promise<void> {
  const client = new InspectorClient(connection)
  const total: Total = { requests: 0, refused: 0 }
  for (const file of files) await importFile(client, file, total)
  console.error(`${total.requests} ${total.requests === 1 ? "request" : "requests"} taken`)
  if (total.refused > 0)
    throw new CommandError(`${total.refused} records were refused, /drops says which and why`, EXIT.refused)
}

async function importFile(client: InspectorClient, file: string, total: Total): Promise<void> {
  /** Lines of a JSON text that takes all of the file. */
  let whole: string[] | undefined
  let length = 0
  for await (const line of linesOf(file)) {
    const request = whole === undefined ? parse(line) : undefined
    if (request !== undefined) await send(client, file, request, total)
    else if (whole !== undefined || line.trim() !== "") {
      whole ??= []
      whole.push(line)
      length += line.length
      if (length > WHOLE_FILE_LIMIT) throw unreadable(file)
    }
  }
  if (whole === undefined) return
  const request = parse(whole.join("\n"))
  if (request === undefined) throw unreadable(file)
  await send(client, file, request, total)
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const source: Readable = file === "-" ? process.stdin : createReadStream(file)
  const bytes = file.endsWith(".gz") ? source.pipe(createGunzip()) : source
  const failed = new Promise<never>((_, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new CommandError(`${file} cannot be read (${error.code ?? error.message})`, EXIT.usage))
    source.once("error", fail)
    bytes.once("error", fail)
  })
  failed.catch(() => undefined)
  const lines = createInterface({ input: bytes, crlfDelay: Infinity })[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await Promise.race([lines.next(), failed])
    if (done) return
    yield value
  }
}

async function send(client: InspectorClient, file: string, request: unknown, total: Total): Promise<void> {
  if (Array.isArray(request)) {
    for (const each of request as unknown[]) await send(client, file, each, total)
    return
  }
  const signals = typeof request === "object" && request !== null ? Object.keys(request) : []
  const known = signals.filter((name) => name in SIGNALS)
  if (known.length === 0) throw unreadable(file)
  for (const name of known) {
    const body = JSON.stringify({ [name]: (request as Record<string, unknown>)[name] })
    const answer = (await (await client.post(`/v1/${SIGNALS[name]}`, body)).json()) as {
      partialSuccess?: { rejectedSpans?: string; rejectedLogRecords?: string }
    }
    total.requests++
    const { rejectedSpans = 0, rejectedLogRecords = 0 } = answer.partialSuccess ?? {}
    total.refused += Number(rejectedSpans) + Number(rejectedLogRecords)
  }
}

function parse(text: string): unknown {
  if (text.trim() === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    // The first of several lines, or no JSON at all.
    return undefined
  }
}

function unreadable(file: string): CommandError {
  return new CommandError(
    `${file} holds no OTLP/JSON: expected {"resourceSpans": …} or {"resourceLogs": …}, one a line or one in all`,
    EXIT.usage,
  )
}
