import type { BudgetRequest } from "../inspector/queries/budgets/budget-request.ts"
import type { BudgetReport } from "../inspector/queries/budgets/budgets.ts"
import type { ComparisonJson } from "../inspector/queries/compare/comparison-json.ts"
import type { DropJson } from "../inspector/queries/drops/drop-reader.ts"
import type { ItemJson } from "../inspector/queries/errors/envelope-items.ts"
import type { IssueDetailJson, IssueJson } from "../inspector/queries/errors/issue.ts"
import type { DifferencesJson } from "../inspector/queries/list/differences.ts"
import { AGE_OR_MOMENT, momentOrAge } from "../inspector/queries/list/time-range.ts"
import type { TraceFiguresJson } from "../inspector/queries/list/trace-overview.ts"
import type { TraceSummaryJson } from "../inspector/queries/list/trace-summary.ts"
import type { Finding } from "../inspector/queries/trace/findings/findings.ts"
import type { ServiceJson, ServicesJson } from "../inspector/queries/services/service-json.ts"
import type { JourneyJson } from "../inspector/queries/sessions/journey.ts"
import type { LogJson } from "../inspector/queries/logs/log-json.ts"
import { type FilterTree, parseFilter, parseLogFilter, type Parsed, pointAtProblem } from "../inspector/search/index.ts"
import { plain } from "../protocol/line-text.ts"
import { decodeTraces } from "../protocol/otlp/decode-traces.ts"
import type { SpanRecord } from "../protocol/records/span.ts"
import { fromMilliseconds } from "../protocol/records/time.ts"
import { COMMAND_USER_AGENT } from "../protocol/transport/inspector-address.ts"
import { CommandError, EXIT } from "./exit.ts"
import type { Connection } from "./options.ts"

const A_DAY_MS = 86_400_000
/** An inspector answers 503 until its store is ready. The client retries for this long. */
const STARTING_LIMIT_MS = 30_000
const RETRY_MS = 250
/** The largest page of the read API. */
const TRACE_PAGE_SIZE = "1000"

/** @throws {CommandError} that points at the part of the filter which cannot be parsed. */
export function requireFilter(text: string): FilterTree | undefined {
  return parsed(text, parseFilter(text))
}

/** The same, for a filter of logs. */
export function requireLogFilter(text: string): void {
  parsed(text, parseLogFilter(text))
}

/** @throws {CommandError} on a text that is neither an age nor a time. */
export function requireSince(text: string | undefined): string | undefined {
  if (text === undefined || momentOrAge(text, Date.now()) !== undefined) return text
  throw new CommandError(`--since is ${JSON.stringify(text)}, which is not ${AGE_OR_MOMENT}`, EXIT.usage)
}

function parsed<Tree>(text: string, { tree, problem }: Parsed<Tree>): Tree | undefined {
  if (problem === undefined) return tree
  throw new CommandError(pointAtProblem(text, problem), EXIT.usage)
}

/** The read API and the ingest endpoints of a running inspector. */
export class InspectorClient {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #noticed = new Set<string>()

  /** @throws {CommandError} when the address is not a URL. */
  constructor({ url, token }: Connection) {
    if (!URL.canParse(url)) throw new CommandError(`--url is ${JSON.stringify(url)}, which is not a URL`, EXIT.usage)
    this.#base = url.replace(/(?<!\/)\/+$/, "")
    this.#headers = {
      "user-agent": COMMAND_USER_AGENT,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
  }

  /** The address of a screen. */
  screen(path: string): string {
    return `${this.#base}${path}`
  }

  /**
   * The newest traces that match the filter, at most a thousand.
   *
   * @param since an age like `5m`, or a time.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  matchingTraces(filter: string, since?: string): Promise<readonly TraceSummaryJson[]> {
    return this.#traces({ q: filter, limit: TRACE_PAGE_SIZE, ...(since !== undefined && { since }) })
  }

  /** All traces that match the filter, the newest first. @throws {CommandError} on a filter that cannot be parsed. */
  async *allTraces(filter: string): AsyncGenerator<TraceSummaryJson> {
    requireFilter(filter)
    let after: string | null | undefined
    do {
      const query = new URLSearchParams({ q: filter, limit: TRACE_PAGE_SIZE, ...(after && { after }) })
      const page = await this.#json<{ traces: TraceSummaryJson[]; next: string | null }>(`/api/traces?${query}`)
      yield* page.traces
      after = page.next
    } while (after)
  }

  /**
   * The newest trace that matches the filter; `undefined` when none does.
   *
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  async newestTrace(filter: string): Promise<TraceSummaryJson | undefined> {
    return (await this.#traces({ q: filter, limit: "1" }))[0]
  }

  async #traces(parameters: Readonly<Record<string, string>>): Promise<readonly TraceSummaryJson[]> {
    requireFilter(parameters["q"] ?? "")
    return (await this.#json<{ traces: TraceSummaryJson[] }>(`/api/traces?${new URLSearchParams(parameters)}`)).traces
  }

  /**
   * How many traces match the filter, how many of them failed, and how long they took.
   *
   * @param since an age like `5m`, or a time.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  traceFigures(filter: string, since?: string): Promise<TraceFiguresJson> {
    requireFilter(filter)
    return this.#json(
      `/api/traces/figures?${new URLSearchParams({ q: filter, ...(since !== undefined && { since }) })}`,
    )
  }

  /** How many logs match the filter. @throws {CommandError} on a filter that cannot be parsed. */
  async countLogs(filter: string, since?: string): Promise<number> {
    requireLogFilter(filter)
    const query = new URLSearchParams({ q: filter, ...(since !== undefined && { since }) })
    return (await this.#json<{ logs: number }>(`/api/logs/figures?${query}`)).logs
  }

  /**
   * What differs between the traces of a filter and the others of a baseline.
   *
   * @param parameters the query parameters of `GET /api/traces/differences`.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  differences(parameters: Readonly<Record<string, string>>): Promise<DifferencesJson> {
    requireFilter(parameters["q"] ?? "")
    requireFilter(parameters["baseline"] ?? "")
    return this.#json(`/api/traces/differences?${new URLSearchParams(parameters)}`)
  }

  /** All spans of the trace, none when it is unknown. */
  async trace(traceId: string): Promise<readonly SpanRecord[]> {
    const text = await this.traceText(traceId)
    if (text === undefined) return []
    const decoded = decodeTraces(new TextEncoder().encode(text), "json", {
      latest: fromMilliseconds(Date.now() + A_DAY_MS),
      maxSpans: Infinity,
    })
    if (!decoded.ok) throw this.#unreadable(decoded.problem)
    return decoded.spans
  }

  /** The trace as OTLP/JSON, `undefined` when it is unknown. */
  async traceText(traceId: string): Promise<string | undefined> {
    const response = await this.#request(`/api/traces/${encodeURIComponent(traceId)}`)
    return response.status === 404 ? undefined : (await this.#successful(response)).text()
  }

  /** The rows of a trace in display order, for `decodeWaterfall`. */
  async waterfall(traceId: string): Promise<ArrayBuffer> {
    const path = `/api/traces/${encodeURIComponent(traceId)}/waterfall`
    return (await this.#successful(await this.#request(path))).arrayBuffer()
  }

  /** A span and its descendants as text for a language model. */
  async subtreeText(traceId: string, spanId: string): Promise<string> {
    const path = `/api/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}/text`
    return (await this.#successful(await this.#request(path))).text()
  }

  /** What stands out in the trace, `undefined` when it is unknown. */
  async findings(traceId: string): Promise<readonly Finding[] | undefined> {
    const response = await this.#request(`/api/traces/${encodeURIComponent(traceId)}/findings`)
    if (response.status === 404) return undefined
    return ((await (await this.#successful(response)).json()) as { findings: Finding[] }).findings
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

  /**
   * A page of logs: newest first, or of a trace by time.
   *
   * @param query the query parameters of `GET /api/logs`.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  async logs(query: Readonly<Record<string, string>>, traceId?: string): Promise<readonly LogJson[]> {
    requireLogFilter(query["q"] ?? "")
    const path = traceId === undefined ? "/api/logs" : `/api/traces/${encodeURIComponent(traceId)}/logs`
    return (await this.#json<{ logs: LogJson[] }>(`${path}?${new URLSearchParams(query)}`)).logs
  }

  /**
   * Two filters of traces side by side.
   *
   * @param parameters the query parameters of `GET /api/compare`.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  compare(parameters: Readonly<Record<string, string>>): Promise<ComparisonJson> {
    for (const side of ["a", "b"]) requireFilter(parameters[side] ?? "")
    return this.#json(`/api/compare?${new URLSearchParams(parameters)}`)
  }

  /**
   * The services of a time window and the calls between them.
   *
   * @param parameters the query parameters of `GET /api/services`.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  services(parameters: Readonly<Record<string, string>>): Promise<ServicesJson> {
    requireFilter(parameters["q"] ?? "")
    return this.#json(`/api/services?${new URLSearchParams(parameters)}`)
  }

  /** One service, by the same parameters. */
  service(name: string, parameters: Readonly<Record<string, string>>): Promise<ServiceJson> {
    requireFilter(parameters["q"] ?? "")
    return this.#json(`/api/services/${encodeURIComponent(name)}?${new URLSearchParams(parameters)}`)
  }

  session(sessionId: string): Promise<JourneyJson> {
    return this.#json(`/api/sessions/${encodeURIComponent(sessionId)}`)
  }

  /** The verdict on each limit of budgets. */
  budgets(request: BudgetRequest): Promise<BudgetReport> {
    requireFilter(request.filter ?? "")
    return this.post("/api/budgets", JSON.stringify(request))
  }

  /** Records that are acknowledged and not yet stored. */
  async queueDepth(): Promise<number> {
    return ((await (await this.#request("/health")).json()) as { queue: { depth: number } }).queue.depth
  }

  async drops(limit: number): Promise<readonly DropJson[]> {
    return (await this.#json<{ dropped: DropJson[] }>(`/api/dropped?limit=${limit}`)).dropped
  }

  /** The live feed of the traces that match the filter, until the signal aborts. */
  async live(filter: string, signal: AbortSignal): Promise<Response> {
    return this.#successful(await this.#request(`/live?${new URLSearchParams({ q: filter })}`, { signal }))
  }

  /** Deletes everything in the embedded store. */
  async clear(): Promise<void> {
    await this.#successful(await this.#request("/api/traces", { method: "DELETE" }))
  }

  /** Posts JSON, encoded as the headers say, to an endpoint. */
  async post<T>(path: string, body: string | Uint8Array<ArrayBuffer>, headers: object = {}): Promise<T> {
    return this.#json<T>(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
  }

  async #json<T>(path: string, request?: RequestInit): Promise<T> {
    const response = await this.#successful(await this.#request(path, request))
    let answer: unknown
    try {
      answer = response.status === 204 ? undefined : await response.json()
    } catch {
      throw this.#unreadable(`${path.split("?", 1)[0]} is not JSON`)
    }
    this.#print(answer)
    return answer as T
  }

  /** What the inspector ignored, or a person can hardly mean: once, in the language of the command's other messages. */
  #print(answer: unknown): void {
    const { notices } = (answer ?? {}) as { readonly notices?: unknown }
    for (const notice of Array.isArray(notices) ? notices.map(String) : []) {
      if (!this.#noticed.has(notice)) console.error(`pagespan: ${plain(notice)}`)
      this.#noticed.add(notice)
    }
  }

  async #request(path: string, request: RequestInit = {}): Promise<Response> {
    const deadline = Date.now() + STARTING_LIMIT_MS
    for (;;) {
      const response = await this.#send(path, request)
      if (response.status !== 503 || Date.now() > deadline) return response
      await new Promise((later) => setTimeout(later, RETRY_MS))
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
        `No inspector answers at ${this.#base}: start one with pagespan, or set --url to another address`,
        EXIT.unreachable,
      )
    }
    throw new CommandError(`The inspector at ${this.#base} requires a token: set PAGESPAN_TOKEN`, EXIT.unreachable)
  }

  async #successful(response: Response): Promise<Response> {
    if (response.ok) return response
    const message = messageIn(await response.text())
    // Every error of the inspector's own API is JSON with a message.
    if (message === undefined) throw this.#unreadable(`it answers ${response.status}`)
    throw new CommandError(`The inspector answered ${response.status}: ${message}`, EXIT.refused)
  }

  #unreadable(problem: string): CommandError {
    return new CommandError(
      `The program at ${this.#base} does not answer like an inspector (${problem}): start one with pagespan, or set --url to another address`,
      EXIT.unreachable,
    )
  }
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === "string" ? message : undefined
  } catch {
    return undefined
  }
}
