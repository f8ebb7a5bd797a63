import { EventSourceParserStream } from "eventsource-parser/stream"
import type { Argv } from "yargs"
import type { DropJson } from "../../inspector/queries/drops/drop-reader.ts"
import type { IssueJson } from "../../inspector/queries/errors/issue.ts"
import type { TraceSummaryJson } from "../../inspector/queries/list/trace-summary.ts"
import { tracesToJson } from "../../protocol/otlp/traces-json.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { ChangedTraces } from "../changed-traces.ts"
import { END_SIGNALS } from "../end-signals.ts"
import { CommandError } from "../exit.ts"
import type { InspectorClient } from "../inspector-client.ts"
import { KnownItems } from "../known-items.ts"
import { type Connection, withConnection } from "../options.ts"
import { countText, dropLine, errorLine, spanLine } from "../terminal.ts"
import { tailLogs } from "./tail-logs.ts"

const KINDS = ["span", "error", "drop"] as const

export function tailCommand(parser: Argv): Argv {
  return parser.command(
    "tail [filter]",
    "Print spans, errors and drops as they arrive, or logs",
    (command) =>
      withConnection(command)
        .positional("filter", {
          type: "string",
          default: "",
          describe: "Only spans of matching traces, or matching logs",
        })
        .option("logs", {
          type: "boolean",
          describe: "Print log lines instead; the filter is one of logs",
          conflicts: "only",
        })
        .option("json", {
          type: "boolean",
          default: false,
          describe: "One line of JSON per record; spans as OTLP/JSON",
        })
        .option("only", {
          choices: KINDS,
          array: true,
          describe: "What to print",
          defaultDescription: KINDS.join(", "),
        })
        .example("$0 tail", "Everything")
        .example("$0 tail --logs 'severity>=warn'", "Log lines of severity warn and above")
        .example("$0 tail 'service:shop status:error' --only span", "Spans of failed traces of one service"),
    async (options) => {
      const stop = new AbortController()
      for (const signal of END_SIGNALS) process.once(signal, () => stop.abort())
      if (options.logs) await tailLogs(options, stop.signal)
      else await tail({ ...options, only: options.only ?? KINDS }, stop.signal)
      process.exit()
    },
  )
}

interface TailOptions extends Connection {
  readonly filter: string
  readonly json: boolean
  readonly only: readonly ("span" | "error" | "drop")[]
}

/** Time between two polls. A span that arrived is in the store within this time. */
const POLL_MS = 500
const RECONNECT_MS = 1_000
/** The number of traces whose printed spans are remembered. */
const KNOWN_TRACE_LIMIT = 1_000
/** The number of errors and drops per poll. */
const PAGE_SIZE = 100

/** `pagespan tail`: prints what arrives from now on, until Ctrl-C, and reconnects when the connection ends. */
async function tail(options: TailOptions, signal: AbortSignal): Promise<void> {
  const { InspectorClient } = await import("../inspector-client.ts")
  const { requireFilter } = await import("../query-options.ts")
  requireFilter(options.filter)
  const follower = new Follower(new InspectorClient(options), options)
  await follower.skipExisting()
  const polls = setInterval(() => follower.poll(), POLL_MS)
  signal.addEventListener("abort", () => clearInterval(polls))
  while (!signal.aborted) {
    await follower.listen(signal).catch((error: unknown) => {
      if (error instanceof CommandError) console.error(error.message)
    })
    if (!signal.aborted) await new Promise((again) => setTimeout(again, RECONNECT_MS))
  }
}

class Follower {
  readonly #client: InspectorClient
  readonly #options: TailOptions
  /** Traces with spans that arrived since the last poll, where spans are printed. */
  readonly #changedTraces = new ChangedTraces()
  /** The ids of printed spans by trace, the trace that changed last at the end. */
  readonly #printed = new Map<string, Set<string>>()
  readonly #knownErrors = new KnownItems<IssueJson>()
  readonly #knownDrops = new KnownItems<DropJson>()
  #isPolling = false

  constructor(client: InspectorClient, options: TailOptions) {
    this.#client = client
    this.#options = options
  }

  /** Reads the errors and drops that are there already, which are not printed. Rejects without an inspector. */
  async skipExisting(): Promise<void> {
    await Promise.all([this.#newErrors(), this.#newDrops()])
  }

  /** Follows the live feed, which names the traces that changed. Resolves when the connection ends. */
  async listen(signal: AbortSignal): Promise<void> {
    const { body } = await this.#client.live(this.#options.filter, signal)
    if (body === null) return
    for await (const { event, data } of eventsOf(body)) {
      if (event === "traces" && this.#options.only.includes("span"))
        for (const { traceId } of JSON.parse(data) as TraceSummaryJson[]) this.#changedTraces.add(traceId)
      if (event === "skipped") {
        const { skipped } = JSON.parse(data) as { skipped: number }
        console.error(`pagespan: ${skipped} traces arrived too fast and are not printed`)
      }
    }
  }

  poll(): void {
    if (this.#isPolling) return
    this.#isPolling = true
    this.#printNews()
      // The next poll tries again.
      .catch(() => undefined)
      .finally(() => (this.#isPolling = false))
  }

  async #printNews(): Promise<void> {
    const { only } = this.#options
    for (const traceId of this.#changedTraces) await this.#printTrace(traceId)
    const lost = this.#changedTraces.takeLost()
    if (lost > 0) console.error(`pagespan: ${countText(lost, "trace")} could not be read in time: not printed`)
    if (only.includes("error")) for (const issue of await this.#newErrors()) this.#print("error", issue)
    if (only.includes("drop")) for (const drop of await this.#newDrops()) this.#print("drop", drop)
  }

  /** Issues with an event since the last poll, the newest last. */
  async #newErrors(): Promise<readonly IssueJson[]> {
    const issues = await this.#client.errors({ limit: String(PAGE_SIZE) })
    return this.#knownErrors.newAmong(issues, ({ issueId, lastSeen, count }) => `${issueId} ${lastSeen} ${count}`)
  }

  async #newDrops(): Promise<readonly DropJson[]> {
    return this.#knownDrops.newAmong(await this.#client.drops(PAGE_SIZE), (drop) => JSON.stringify(drop))
  }

  async #printTrace(traceId: string): Promise<void> {
    const { spans } = await this.#client.trace(traceId)
    // A trace that is not stored yet is read again in the next poll.
    if (spans.length === 0) return this.#changedTraces.missing(traceId)
    this.#changedTraces.printed(traceId)
    const printed = this.#printed.get(traceId) ?? new Set()
    this.#printed.delete(traceId)
    this.#printed.set(traceId, printed)
    for (const span of spans) {
      if (printed.has(span.spanId)) continue
      printed.add(span.spanId)
      this.#print("span", span)
    }
    const [oldest] = this.#printed.keys()
    if (this.#printed.size > KNOWN_TRACE_LIMIT && oldest !== undefined) this.#printed.delete(oldest)
  }

  #print(type: "span", record: SpanRecord): void
  #print(type: "error", record: IssueJson): void
  #print(type: "drop", record: DropJson): void
  #print(type: "span" | "error" | "drop", record: SpanRecord | IssueJson | DropJson): void {
    if (type === "span") {
      const span = record as SpanRecord
      console.log(this.#options.json ? JSON.stringify({ type, ...tracesToJson([span]) }) : spanLine(span))
    } else if (this.#options.json) console.log(JSON.stringify({ type, ...record }))
    else console.log(type === "error" ? errorLine(record as IssueJson) : dropLine(record as DropJson))
  }
}

/** The server-sent events of a response body. */
export function eventsOf(
  body: ReadableStream<Uint8Array>,
): ReadableStream<{ event?: string | undefined; data: string }> {
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
}
