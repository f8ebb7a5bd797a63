import type { Argv } from "yargs"
import type { DropJson } from "../../inspector/queries/drops/drop-reader.ts"
import type { IssueJson } from "../../inspector/queries/errors/issue.ts"
import type { TraceSummaryJson } from "../../inspector/queries/list/trace-summary.ts"
import { tracesToJson } from "../../protocol/otlp/traces-json.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import { type Connection, withConnection } from "../connection.ts"
import { CommandError } from "../exit.ts"
import { readFilter } from "../filter.ts"
import { InspectorClient } from "../inspector-client.ts"
import { serverSentEvents } from "../server-sent-events.ts"
import { errorLine, dropLine, spanLine } from "../text.ts"

const KINDS = ["span", "error", "drop"] as const

export function tailCommand(parser: Argv): Argv {
  return parser.command(
    "tail [filter]",
    "Print spans, errors and drops as they come",
    (command) =>
      withConnection(command)
        .positional("filter", { type: "string", default: "", describe: "Which traces, in the filter language" })
        .option("json", { type: "boolean", default: false, describe: "A line of JSON each; spans as OTLP/JSON" })
        .option("only", { choices: KINDS, array: true, default: KINDS, describe: "What is printed" })
        .example("$0 tail", "Everything")
        .example("$0 tail 'service:shop status:error' --only span", "Spans of failed traces of one service"),
    async (options) => {
      const { tail } = await import("./tail.ts")
      const stop = new AbortController()
      process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort())
      await tail(options, stop.signal)
      process.exit()
    },
  )
}

export interface TailOptions extends Connection {
  readonly filter: string
  readonly json: boolean
  readonly only: readonly ("span" | "error" | "drop")[]
}

/** What has arrived is in the store within this time; errors and drops are asked for as often. */
const ROUND_MS = 500
/** Traces whose spans are known as printed; the oldest is forgotten. */
const KNOWN_TRACE_LIMIT = 1_000
const NEWEST = 100
const RECONNECT_MS = 1_000

/** `pagespan tail`: what arrives from now on, until Ctrl-C. A lost connection is taken up again. */
export async function tail(options: TailOptions, signal: AbortSignal): Promise<void> {
  const follower = new Follower(options)
  await follower.begin()
  const rounds = setInterval(() => follower.round(), ROUND_MS)
  signal.addEventListener("abort", () => clearInterval(rounds))
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
  /** Traces of which spans have arrived since the last round. */
  readonly #touched = new Set<string>()
  /** Spans that were printed, by trace, the trace that was touched last at the end. */
  readonly #printed = new Map<string, Set<string>>()
  readonly #knownErrors = new KnownPage<IssueJson>()
  readonly #knownDrops = new KnownPage<DropJson>()
  #isRunning = false

  constructor(options: TailOptions) {
    this.#client = new InspectorClient(options)
    this.#options = options
  }

  /** Learns what is there already, which is not news. Rejects when there is no inspector. */
  async begin(): Promise<void> {
    readFilter(this.#options.filter)
    await Promise.all([this.#newErrors(), this.#newDrops()])
  }

  async listen(signal: AbortSignal): Promise<void> {
    const { body } = await this.#client.live(this.#options.filter, signal)
    if (body === null) return
    for await (const { event, data } of serverSentEvents(body)) {
      if (event === "traces")
        for (const { traceId } of JSON.parse(data) as TraceSummaryJson[]) this.#touched.add(traceId)
      if (event === "skipped") console.error(`pagespan: too fast, left out: ${data}`)
    }
  }

  round(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#round()
      // An inspector that is away for a moment is asked again in the next round.
      .catch(() => undefined)
      .finally(() => (this.#isRunning = false))
  }

  async #round(): Promise<void> {
    const { only } = this.#options
    if (only.includes("span")) for (const traceId of this.#touched) await this.#printTrace(traceId)
    if (only.includes("error")) for (const issue of await this.#newErrors()) this.#print("error", issue)
    if (only.includes("drop")) for (const drop of await this.#newDrops()) this.#print("drop", drop)
  }

  /** Issues that were seen again since they were last asked for, the newest last. */
  async #newErrors(): Promise<readonly IssueJson[]> {
    const issues = await this.#client.errors({ limit: String(NEWEST) })
    return this.#knownErrors.unknown(issues, ({ issueId, lastSeen, count }) => `${issueId} ${lastSeen} ${count}`)
  }

  async #newDrops(): Promise<readonly DropJson[]> {
    return this.#knownDrops.unknown(await this.#client.drops(NEWEST), (drop) => JSON.stringify(drop))
  }

  async #printTrace(traceId: string): Promise<void> {
    const spans = await this.#client.trace(traceId)
    // It may not be stored yet: then the next round finds it.
    if (spans.length > 0) this.#touched.delete(traceId)
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

/** The newest page of a list, as it was when it was last asked for. Times tell nothing: what is told late happened early. */
class KnownPage<Item> {
  #keys: ReadonlySet<string> = new Set()

  /** What was not on it then, the newest last. */
  unknown(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
    const news = items.filter((item) => !this.#keys.has(keyOf(item))).toReversed()
    this.#keys = new Set(items.map(keyOf))
    return news
  }
}
