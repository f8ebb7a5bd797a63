import { COMMAND_USER_AGENT } from "../protocol/transport/inspector-address.ts"
import type { InspectorAddress } from "./destination.ts"

const REQUEST_TIMEOUT_MS = 10_000

/** A refusal of the read API, such as of a filter that cannot be parsed. */
export class Refused extends Error {
  override readonly name = "Refused"
}

/** A trace of `GET /api/traces`. */
export interface TraceRow {
  readonly traceId: string
  readonly name: string
  readonly provisional: boolean
  readonly services: readonly string[]
  readonly startTimeUnixNano: string
  readonly durationNano: string
  readonly spanCount: number
  readonly errorCount: number
}

/** An answer of `GET /api/traces`. */
export interface TraceList {
  readonly traces: readonly TraceRow[]
  /** Parameters that the inspector ignored, and probable misspellings in the filter. Absent without any. */
  readonly notices?: readonly string[]
}

/** A finding of `GET /api/traces/{traceId}/findings`. */
export interface FindingRow {
  readonly title: string
  readonly durationNano: string
  readonly parentName: string | null
  readonly service: string
}

/** An issue of `GET /api/errors`. */
export interface IssueRow {
  readonly title: string
  /** Name of the route or operation in which it happened. */
  readonly transaction: string
  readonly lastTraceId: string | null
  readonly services: readonly string[]
}

/** A drop of `GET /api/dropped`. */
export interface DropRow {
  readonly stage: string
  readonly reason: string
  readonly category: string
  readonly count: number
}

/** The read API of an inspector. */
export class InspectorReader {
  constructor(private readonly address: InspectorAddress) {}

  /** The address of a screen. */
  screen(path: string): string {
    return this.address.url + path
  }

  /**
   * The newest traces that match the filter.
   *
   * @throws {Refused} on a filter that cannot be parsed.
   */
  traces(filter: string, sinceMs: number, limit: number): Promise<TraceList> {
    const parameters = new URLSearchParams({ q: filter, since: timeOf(sinceMs), limit: String(limit) })
    return this.#json(`/api/traces?${parameters}`)
  }

  /** The routes that the traces since then have, the most frequent first. */
  async routes(sinceMs: number): Promise<readonly string[]> {
    const path = `/api/routes?${new URLSearchParams({ since: timeOf(sinceMs) })}`
    return (await this.#json<{ routes: { route: string }[] }>(path)).routes.map(({ route }) => route)
  }

  /** The trace as OTLP/JSON. `undefined` if it is not stored. */
  async traceText(traceId: string): Promise<string | undefined> {
    const response = await this.#get(`/api/traces/${traceId}`)
    return response.ok ? response.text() : undefined
  }

  async findings(traceId: string): Promise<readonly FindingRow[]> {
    return (await this.#json<{ findings: FindingRow[] }>(`/api/traces/${traceId}/findings`)).findings
  }

  async issues(sinceMs: number): Promise<readonly IssueRow[]> {
    const parameters = new URLSearchParams({ since: timeOf(sinceMs), limit: "100" })
    return (await this.#json<{ issues: IssueRow[] }>(`/api/errors?${parameters}`)).issues
  }

  async drops(sinceMs: number, untilMs: number): Promise<readonly DropRow[]> {
    const parameters = new URLSearchParams({ since: timeOf(sinceMs), until: timeOf(untilMs), limit: "1000" })
    return (await this.#json<{ dropped: DropRow[] }>(`/api/dropped?${parameters}`)).dropped
  }

  async #json<T>(path: string): Promise<T> {
    const response = await this.#get(path)
    if (response.ok) return (await response.json()) as T
    if (response.status === 401)
      throw new Error(`the inspector at ${this.address.url} requires a token: set PAGESPAN_TOKEN`)
    const { message } = (await response.json().catch(() => ({}))) as { message?: unknown }
    const text = typeof message === "string" ? message : `it answers ${response.status}`
    if (response.status === 400) throw new Refused(text)
    throw new Error(`the inspector at ${this.address.url}: ${text}`)
  }

  #get(path: string): Promise<Response> {
    const { url, token } = this.address
    const headers = {
      "user-agent": COMMAND_USER_AGENT,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    return fetch(url + path, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: "error" })
  }
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
