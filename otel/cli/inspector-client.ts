import type { ItemJson } from "../inspector/queries/errors/envelope-items.ts"
import type { DropJson } from "../inspector/queries/drops/drop-reader.ts"
import type { IssueDetailJson, IssueJson } from "../inspector/queries/errors/issue.ts"
import type { TraceSummaryJson } from "../inspector/queries/list/trace-summary.ts"
import { decodeTraces } from "../protocol/otlp/decode-traces.ts"
import type { SpanRecord } from "../protocol/records/span.ts"
import { fromMilliseconds } from "../protocol/records/time.ts"
import type { Connection } from "./connection.ts"
import { CommandError, EXIT } from "./exit.ts"

const LIMIT_MS = 1_000

/** Whether what answers at the address is an inspector of ours, by the shape of its health. */
export async function isInspector(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(LIMIT_MS) })
    const health = (await response.json()) as { queue?: { depth?: unknown }; drops?: unknown }
    return typeof health.queue?.depth === "number" && typeof health.drops === "object"
  } catch {
    // Nothing there, or something that speaks otherwise.
    return false
  }
}

const A_DAY_MS = 86_400_000
/** The store of an inspector that has just started answers after this, tried again meanwhile. */
const STARTING_LIMIT_MS = 30_000
const AGAIN_MS = 250

export interface TracePage {
  readonly traces: readonly TraceSummaryJson[]
  readonly next: string | null
}

/** The read API and the handlers of a running inspector. */
export class InspectorClient {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  /** @throws {CommandError} when the address is none. */
  constructor({ url, token }: Connection) {
    if (!URL.canParse(url)) throw new CommandError(`--url is ${JSON.stringify(url)}, which is no address`, EXIT.usage)
    this.#base = url.replace(/(?<!\/)\/+$/, "")
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** Address of a screen. */
  screen(path: string): string {
    return `${this.#base}${path}`
  }

  traces(parameters: Readonly<Record<string, string>>): Promise<TracePage> {
    return this.#json(`/api/traces?${new URLSearchParams(parameters)}`)
  }

  /** All spans of the trace, empty when it is unknown. */
  async trace(traceId: string): Promise<readonly SpanRecord[]> {
    const text = await this.traceText(traceId)
    if (text === undefined) return []
    const decoded = decodeTraces(new TextEncoder().encode(text), "json", {
      latest: fromMilliseconds(Date.now() + A_DAY_MS),
      maxSpans: Infinity,
    })
    if (!decoded.ok) throw new CommandError(`The inspector's answer cannot be read: ${decoded.problem}`, EXIT.refused)
    return decoded.spans
  }

  /** The trace as OTLP/JSON, `undefined` when it is unknown. */
  async traceText(traceId: string): Promise<string | undefined> {
    const response = await this.#ask(`/api/traces/${encodeURIComponent(traceId)}`)
    return response.status === 404 ? undefined : (await okay(response)).text()
  }

  async errors(parameters: Readonly<Record<string, string>>): Promise<readonly IssueJson[]> {
    const { issues } = await this.#json<{ issues: IssueJson[] }>(`/api/errors?${new URLSearchParams(parameters)}`)
    return issues
  }

  issue(issueId: string): Promise<IssueDetailJson> {
    return this.#json(`/api/errors/${encodeURIComponent(issueId)}`)
  }

  async itemsOfEvent(event: string): Promise<readonly ItemJson[]> {
    return (await this.#json<{ items: ItemJson[] }>(`/api/items?${new URLSearchParams({ event })}`)).items
  }

  async drops(limit: number): Promise<readonly DropJson[]> {
    const { dropped } = await this.#json<{ dropped: DropJson[] }>(`/api/dropped?limit=${limit}`)
    return dropped
  }

  /** What `/live` sends of the traces that pass the filter, until the signal ends it. */
  async live(filter: string, signal: AbortSignal): Promise<Response> {
    return okay(await this.#ask(`/live?${new URLSearchParams({ q: filter })}`, { signal }))
  }

  async clear(): Promise<void> {
    await okay(await this.#ask("/api/traces", { method: "DELETE" }))
  }

  /** Hands a request to a handler; the answer is its own to read. */
  async post(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    return okay(await this.#ask(path, { method: "POST", body, headers: { "content-type": "application/json" } }))
  }

  async #json<T>(path: string): Promise<T> {
    return (await okay(await this.#ask(path))).json() as Promise<T>
  }

  async #ask(path: string, request: RequestInit = {}): Promise<Response> {
    const deadline = Date.now() + STARTING_LIMIT_MS
    for (;;) {
      const response = await this.#send(path, request)
      // The handlers open before the store; what is stored can be read a moment later.
      if (response.status !== 503 || Date.now() > deadline) return response
      await new Promise((later) => setTimeout(later, AGAIN_MS))
    }
  }

  async #send(path: string, request: RequestInit): Promise<Response> {
    const headers = { ...this.#headers, ...(request.headers as Record<string, string> | undefined) }
    try {
      const response = await fetch(`${this.#base}${path}`, { ...request, headers })
      if (response.status !== 401) return response
    } catch (error) {
      if (request.signal?.aborted) throw error
      throw new CommandError(
        `No inspector answers at ${this.#base}: start one with pagespan, or name another with --url`,
        EXIT.unreachable,
      )
    }
    throw new CommandError(`The inspector at ${this.#base} asks for a token: set PAGESPAN_TOKEN`, EXIT.unreachable)
  }
}

async function okay(response: Response): Promise<Response> {
  if (response.ok) return response
  const text = await response.text()
  throw new CommandError(`The inspector answered ${response.status}: ${messageIn(text)}`, EXIT.refused)
}

/** Its own answers are `{ message }`; another program's are shown in part. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return String(message ?? text.slice(0, 200))
  } catch {
    return text.slice(0, 200)
  }
}
