import { createReadStream } from "node:fs"
import { pipeline, type Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import type { Argv } from "yargs"
import { DROPPED_FIELD, type RecordedDrop } from "../../inspector/queries/drops/drop-reader.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { InspectorClient } from "../inspector-client.ts"
import { linesOf } from "../lines-of.ts"
import { type Connection, withConnection } from "../options.ts"
import { countText } from "../terminal.ts"

export function importCommand(parser: Argv): Argv {
  return parser.command(
    "import <files..>",
    "Ingest files of OTLP/JSON: spans and logs, as JSON Lines or one JSON text; gzipped if the name ends in .gz",
    (command) =>
      withConnection(command)
        .positional("files", {
          type: "string",
          array: true,
          demandOption: true,
          describe: "Paths; - is standard input",
        })
        .example("$0 import traces.jsonl", "A file of pagespan export or the Collector's file exporter"),
    (options) => importFiles(options),
  )
}

type Signal = "traces" | "logs"

/** The OTLP signal, by the field of a request that holds its resources. */
const SIGNALS: Readonly<Record<string, Signal>> = { resourceSpans: "traces", resourceLogs: "logs" }
/** The command holds one line in memory, or a file of one JSON text, up to this many characters. */
const WHOLE_FILE_LIMIT = 256 * 2 ** 20

interface ImportOptions extends Connection {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[]
}

interface Total {
  requests: number
  rejected: number
}

/** `pagespan import`: posts each OTLP/JSON request of the files, one per line or one per file, to the ingest endpoints. */
async function importFiles({ files, ...connection }: ImportOptions): Promise<void> {
  const { InspectorClient } = await import("../inspector-client.ts")
  const requests = await importInto(new InspectorClient(connection), files)
  console.error(`${countText(requests, "request")} ingested`)
}

/**
 * @returns the number of requests.
 * @throws {CommandError} on a file that cannot be read, and when the inspector rejects records.
 */
export async function importInto(client: InspectorClient, files: readonly string[]): Promise<number> {
  const total: Total = { requests: 0, rejected: 0 }
  for (const file of files) await importFile(client, file, total)
  if (total.rejected === 0) return total.requests
  throw new CommandError(
    `The inspector rejected ${countText(total.rejected, "record")}: see ${client.screen("/dropped")}`,
    EXIT.refused,
  )
}

async function importFile(client: InspectorClient, file: string, total: Total): Promise<void> {
  /** The lines of a file that is one JSON text. */
  let whole: string[] | undefined
  let length = 0
  for await (const line of linesIn(file)) {
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

async function* linesIn(file: string): AsyncGenerator<string> {
  const source: Readable = file === "-" ? process.stdin : createReadStream(file)
  // Where the source fails, so does the stream that inflates it.
  const bytes = file.endsWith(".gz") ? pipeline(source, createGunzip(), () => {}) : source
  try {
    yield* linesOf(bytes as AsyncIterable<Uint8Array>, WHOLE_FILE_LIMIT)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(`${file} cannot be read (${code ?? message})`, EXIT.usage)
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
    if (isEmpty((request as Record<string, unknown>)[name])) continue
    const body = JSON.stringify({ [name]: (request as Record<string, unknown>)[name] })
    const { partialSuccess = {} } = await client.post<{
      partialSuccess?: { rejectedSpans?: string; rejectedLogRecords?: string }
    }>(`/v1/${SIGNALS[name]}`, body)
    total.requests++
    total.rejected += Number(partialSuccess.rejectedSpans ?? 0) + Number(partialSuccess.rejectedLogRecords ?? 0)
  }
  const dropped = (request as Record<string, unknown>)[DROPPED_FIELD]
  if (Array.isArray(dropped)) await sendDrops(client, dropped as readonly RecordedDrop[])
}

function isEmpty(groups: unknown): boolean {
  return Array.isArray(groups) && groups.length === 0
}

/** OTLP has no drops. Sentry's client report does, and every inspector counts it. */
async function sendDrops(client: InspectorClient, dropped: readonly RecordedDrop[]): Promise<void> {
  const entries = dropped.map(({ reason, category, count }) => ({ reason, category, quantity: count }))
  const report = JSON.stringify({ discarded_events: entries })
  await client.post("/api/1/envelope/", `{}\n{"type":"client_report"}\n${report}\n`)
}

/** `undefined` on a text that is not JSON, such as the first line of an indented file. */
function parse(text: string): unknown {
  if (text.trim() === "") return undefined
  try {
    return JSON.parse(text)
  } catch {
    // The caller decides whether more lines complete the text.
    return undefined
  }
}

function unreadable(file: string): CommandError {
  return new CommandError(
    `${file} is not OTLP/JSON: expected {"resourceSpans": …} or {"resourceLogs": …}, one per line or one per file`,
    EXIT.usage,
  )
}
