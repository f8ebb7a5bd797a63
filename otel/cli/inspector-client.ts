import type { ReadTrace } from "../inspector/mcp/tool.ts"
import type { BudgetRequest } from "../inspector/queries/budgets/budget-request.ts"
import type { BudgetReport } from "../inspector/queries/budgets/budgets.ts"
import type { ComparisonJson } from "../inspector/queries/compare/comparison-json.ts"
import type { DropJson } from "../inspector/queries/drops/drop-reader.ts"
import type { ItemJson } from "../inspector/queries/errors/envelope-items.ts"
import type { IssueDetailJson, IssueJson } from "../inspector/queries/errors/issue.ts"
import type { DifferencesJson } from "../inspector/queries/list/differences.ts"
import type { TraceFiguresJson } from "../inspector/queries/list/trace-overview.ts"
import type { TraceSummaryJson } from "../inspector/queries/list/trace-summary.ts"
import type { Finding } from "../inspector/queries/trace/findings/findings.ts"
import type { ServiceJson, ServicesJson } from "../inspector/queries/services/service-json.ts"
import type { JourneyJson } from "../inspector/queries/sessions/journey.ts"
import type { LogJson } from "../inspector/queries/logs/log-json.ts"
import { decodeTraces } from "../protocol/otlp/decode-traces.ts"
import type { SpanRecord } from "../protocol/records/span.ts"
import { fromMilliseconds } from "../protocol/records/time.ts"
import { InspectorRequests } from "./inspector-requests.ts"
import type { Connection } from "./options.ts"
import { requireFilter, requireLogFilter } from "./query-options.ts"

const A_DAY_MS = 86_400_000
/** The largest page of the read API. */
const TRACE_PAGE_SIZE = "1000"

/** Which traces a filter is applied to. */
interface TraceScope {
  /** An age like `5m`, or a time. Default: any time. */
  readonly since?: string | undefined
  /** Whether Pagespan's own traces are among them. Default: `show`. */
  readonly own?: "show" | "hide" | undefined
}

/** The read API and the ingest endpoints of a running inspector. */
export class InspectorClient {
  readonly #requests: InspectorRequests

  /** @throws {CommandError} when the address is not a URL. */
  constructor(connection: Connection) {
    this.#requests = new InspectorRequests(connection)
  }

  /** The address of a screen. */
  screen(path: string): string {
    return `${this.#requests.url}${path}`
  }

  /**
   * The newest traces that match the filter, at most a thousand.
   *
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  matchingTraces(filter: string, scope: TraceScope = {}): Promise<readonly TraceSummaryJson[]> {
    return this.#traces({ q: filter, limit: TRACE_PAGE_SIZE, ...parametersOf(scope) })
  }

  /** All traces that match the filter, the newest first. @throws {CommandError} on a filter that cannot be parsed. */
  async *allTraces(filter: string): AsyncGenerator<TraceSummaryJson> {
    requireFilter(filter)
    let after: string | null | undefined
    do {
      const query = new URLSearchParams({ q: filter, limit: TRACE_PAGE_SIZE, ...(after && { after }) })
      const page = await this.#requests.json<{ traces: TraceSummaryJson[]; next: string | null }>(
        `/api/traces?${query}`,
      )
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
    return (await this.#requests.json<{ traces: TraceSummaryJson[] }>(`/api/traces?${new URLSearchParams(parameters)}`))
      .traces
  }

  /**
   * How many traces match the filter, how many of them failed, and how long they took.
   *
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  traceFigures(filter: string, scope: TraceScope = {}): Promise<TraceFiguresJson> {
    requireFilter(filter)
    return this.#requests.json(`/api/traces/figures?${new URLSearchParams({ q: filter, ...parametersOf(scope) })}`)
  }

  /** How many logs match the filter. @throws {CommandError} on a filter that cannot be parsed. */
  async countLogs(filter: string, since?: string): Promise<number> {
    requireLogFilter(filter)
    const query = new URLSearchParams({ q: filter, ...(since !== undefined && { since }) })
    return (await this.#requests.json<{ logs: number }>(`/api/logs/figures?${query}`)).logs
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
    return this.#requests.json(`/api/traces/differences?${new URLSearchParams(parameters)}`)
  }

  /** The spans of the trace, at most a million; none when it is unknown. */
  async trace(traceId: string): Promise<ReadTrace> {
    const response = await this.#traceResponse(traceId)
    if (response === undefined) return { spans: [], stored: 0 }
    const spans = this.#decoded(await response.text())
    const [, stored] = / of (\d+)$/.exec(response.headers.get("x-pagespan-spans") ?? "") ?? []
    return { spans, stored: stored === undefined ? spans.length : Number(stored) }
  }

  /** A span as each protocol reported it, OTLP first; none when it is unknown. */
  async span(traceId: string, spanId: string): Promise<readonly SpanRecord[]> {
    const path = `/api/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}/raw`
    const response = await this.#requests.request(path)
    if (response.status === 404) return []
    const byProtocol = (await (await this.#requests.successful(response)).json()) as Readonly<Record<string, unknown>>
    return Object.values(byProtocol).flatMap((traces) => this.#decoded(JSON.stringify(traces)))
  }

  #decoded(text: string): readonly SpanRecord[] {
    const decoded = decodeTraces(new TextEncoder().encode(text), "json", {
      latest: fromMilliseconds(Date.now() + A_DAY_MS),
      maxSpans: Infinity,
    })
    if (!decoded.ok) throw this.#requests.unreadable(decoded.problem)
    return decoded.spans
  }

  /** The trace as OTLP/JSON, `undefined` when it is unknown. */
  async traceText(traceId: string): Promise<string | undefined> {
    return (await this.#traceResponse(traceId))?.text()
  }

  async #traceResponse(traceId: string): Promise<Response | undefined> {
    const response = await this.#requests.request(`/api/traces/${encodeURIComponent(traceId)}`)
    return response.status === 404 ? undefined : this.#requests.successful(response)
  }

  /** The rows of a trace in display order, for `decodeWaterfall`. */
  async waterfall(traceId: string): Promise<ArrayBuffer> {
    const path = `/api/traces/${encodeURIComponent(traceId)}/waterfall`
    return (await this.#requests.successful(await this.#requests.request(path))).arrayBuffer()
  }

  /** A span and its descendants as text for a language model. */
  async subtreeText(traceId: string, spanId: string): Promise<string> {
    const path = `/api/traces/${encodeURIComponent(traceId)}/spans/${encodeURIComponent(spanId)}/text`
    return (await this.#requests.successful(await this.#requests.request(path))).text()
  }

  /** What stands out in the trace, `undefined` when it is unknown. */
  async findings(traceId: string): Promise<readonly Finding[] | undefined> {
    const response = await this.#requests.request(`/api/traces/${encodeURIComponent(traceId)}/findings`)
    if (response.status === 404) return undefined
    return ((await (await this.#requests.successful(response)).json()) as { findings: Finding[] }).findings
  }

  async errors(parameters: Readonly<Record<string, string>>): Promise<readonly IssueJson[]> {
    const { issues } = await this.#requests.json<{ issues: IssueJson[] }>(
      `/api/errors?${new URLSearchParams(parameters)}`,
    )
    return issues
  }

  issue(issueId: string): Promise<IssueDetailJson> {
    return this.#requests.json(`/api/errors/${encodeURIComponent(issueId)}`)
  }

  async itemsOfEvent(event: string): Promise<readonly ItemJson[]> {
    return (await this.#requests.json<{ items: ItemJson[] }>(`/api/items?${new URLSearchParams({ event })}`)).items
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
    return (await this.#requests.json<{ logs: LogJson[] }>(`${path}?${new URLSearchParams(query)}`)).logs
  }

  /**
   * Two filters of traces side by side.
   *
   * @param parameters the query parameters of `GET /api/compare`.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  compare(parameters: Readonly<Record<string, string>>): Promise<ComparisonJson> {
    for (const side of ["a", "b"]) requireFilter(parameters[side] ?? "")
    return this.#requests.json(`/api/compare?${new URLSearchParams(parameters)}`)
  }

  /**
   * The services of a time window and the calls between them.
   *
   * @param parameters the query parameters of `GET /api/services`.
   * @throws {CommandError} on a filter that cannot be parsed.
   */
  services(parameters: Readonly<Record<string, string>>): Promise<ServicesJson> {
    requireFilter(parameters["q"] ?? "")
    return this.#requests.json(`/api/services?${new URLSearchParams(parameters)}`)
  }

  /** One service, by the same parameters. */
  service(name: string, parameters: Readonly<Record<string, string>>): Promise<ServiceJson> {
    requireFilter(parameters["q"] ?? "")
    return this.#requests.json(`/api/services/${encodeURIComponent(name)}?${new URLSearchParams(parameters)}`)
  }

  session(sessionId: string): Promise<JourneyJson> {
    return this.#requests.json(`/api/sessions/${encodeURIComponent(sessionId)}`)
  }

  /** The verdict on each limit of budgets. */
  budgets(request: BudgetRequest): Promise<BudgetReport> {
    requireFilter(request.filter ?? "")
    return this.post("/api/budgets", JSON.stringify(request))
  }

  /** Records that are acknowledged and not yet stored. */
  async queueDepth(): Promise<number> {
    // A status of 503 has the same body.
    const response = await this.#requests.request("/health")
    const answer = (await response.json().catch(() => undefined)) as { queue?: { depth?: unknown } } | null | undefined
    const depth = answer?.queue?.depth
    if (typeof depth !== "number") throw this.#requests.unreadable("/health is not an inspector's")
    return depth
  }

  async drops(limit: number): Promise<readonly DropJson[]> {
    return (await this.#requests.json<{ dropped: DropJson[] }>(`/api/dropped?limit=${limit}`)).dropped
  }

  /** The live feed of the traces that match the filter, until the signal aborts. */
  async live(filter: string, signal: AbortSignal): Promise<Response> {
    return this.#requests.successful(
      await this.#requests.request(`/live?${new URLSearchParams({ q: filter })}`, { signal }),
    )
  }

  /** Deletes everything in the embedded store. */
  async clear(): Promise<void> {
    await this.#requests.successful(await this.#requests.request("/api/traces", { method: "DELETE" }))
  }

  /** Posts JSON, encoded as the headers say, to an endpoint. */
  async post<T>(path: string, body: string | Uint8Array<ArrayBuffer>, headers: object = {}): Promise<T> {
    return this.#requests.json<T>(path, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    })
  }
}

function parametersOf({ since, own }: TraceScope): Record<string, string> {
  return { ...(since !== undefined && { since }), ...(own !== undefined && { own }) }
}
