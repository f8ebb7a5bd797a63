import type { IssueWindow } from "#otel/inspector/queries/errors/issue.ts"
import type { RouteScope } from "#otel/inspector/queries/routes/route-reader.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { serviceName } from "#otel/protocol/records/span.ts"
import type { Nanoseconds } from "#otel/protocol/records/time.ts"
import { COPY_LATER, type Generated } from "./generated-traces.ts"

/**
 * What `docs/reference/screens.md` says that the figures are, computed from the records one by one. Nothing here is of the store's
 * code, so that a mistake in a statement is not made twice.
 */

export interface Window {
  readonly from: Nanoseconds
  readonly until: Nanoseconds
}

const VITAL = "browser.web_vital."
export const ms = ({ startTime, endTime }: SpanRecord) => Number(endTime - startTime) / 1_000_000
export const isWithin = (time: bigint, { from, until }: Window) => time >= from && time < until
export const isVitalSpan = ({ name }: SpanRecord) => name.startsWith(VITAL)
const opOf = ({ attributes }: SpanRecord) => attributes.get("sentry.op")
export const isPage = (span: SpanRecord) => opOf(span) === "pageload" || opOf(span) === "navigation"
const hasFailedStatus = ({ status }: SpanRecord) => status.code === "error"

/** As ClickHouse's `quantileExact`: the value at the rank, rounded down. */
export function quantile(values: readonly number[], level: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(level * sorted.length))] ?? Number.NaN
}

export function groupBy<Item>(
  items: readonly Item[],
  key: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

export const byTrace = (spans: readonly SpanRecord[]) => groupBy(spans, ({ traceId }) => traceId)

export function kindOf(span: SpanRecord): "load" | "navigation" | "request" | undefined {
  if (opOf(span) === "pageload") return "load"
  if (opOf(span) === "navigation") return "navigation"
  return span.kind === "server" && span.attributes.has("http.route") ? "request" : undefined
}

export function routeOf(span: SpanRecord): string {
  const route = span.attributes.get("http.route")
  if (typeof route === "string") return route
  return span.attributes.get("sentry.source") === "url" ? "unmatched" : span.name
}

/** The page during which an error was reported: the last that had begun, else the first. */
function pageOfError(pages: readonly SpanRecord[], time: bigint): SpanRecord | undefined {
  const inOrder = pages.toSorted((a, b) => Number(a.startTime - b.startTime))
  return inOrder.findLast(({ startTime }) => startTime <= time) ?? inOrder[0]
}

function hasFailed(span: SpanRecord, trace: readonly SpanRecord[], { errors }: Generated): boolean {
  if (hasFailedStatus(span)) return true
  const reported = errors.filter((error) => error.traceId === span.traceId)
  if (!isPage(span)) return reported.some(({ service }) => service === serviceName(span.resource))
  const pages = trace.filter(isPage)
  return reported.some(({ time }) => pageOfError(pages, time) === span)
}

/** Count, failures and percentiles by route and kind. A span that both protocols sent counts once, and percentiles are over all records. */
export function expectedRoutes(generated: Generated, scope: RouteScope): Record<string, unknown> {
  const traces = byTrace(generated.spans)
  const measured = generated.spans.filter(
    (span) => kindOf(span) !== undefined && isWithin(span.startTime, scope) && isShown(span, scope),
  )
  const groups = groupBy(measured, (span) => `${kindOf(span)} ${routeOf(span)}`)
  return Object.fromEntries(
    [...groups].map(([key, spans]) => {
      const failed = spans.filter((span) => hasFailed(span, traces.get(span.traceId) ?? [], generated)).length
      const records = spans.flatMap((span) => (generated.both.has(span.traceId) ? [span, span] : [span])).map(ms)
      return [key, [spans.length, failed, ...[0.5, 0.75, 0.95].map((level) => quantile(records, level))]]
    }),
  )
}

function isShown(span: SpanRecord, { service, hidden = [] }: RouteScope): boolean {
  const name = serviceName(span.resource)
  return (service === undefined || name === service) && !hidden.includes(name)
}

/** The 75th percentile and the number of pages of each vital, by route. */
export function expectedVitals({ spans }: Generated, scope: RouteScope): Record<string, unknown> {
  const values = new Map<string, number[]>()
  for (const trace of byTrace(spans.filter((span) => isWithin(span.startTime, scope))).values())
    for (const page of trace.filter(isPage))
      for (const name of ["lcp", "cls", "ttfb"]) {
        const value = vitalOf(page, trace, name)
        const key = `${name} ${routeOf(page)}`
        if (value !== undefined) values.set(key, [...(values.get(key) ?? []), value])
      }
  return Object.fromEntries([...values].map(([key, each]) => [key, [each.length, quantile(each, 0.75)]]))
}

function vitalOf(page: SpanRecord, trace: readonly SpanRecord[], name: string): number | undefined {
  const isOnly = trace.filter(isPage).length === 1
  const own = trace.filter((span) => span.name === `${VITAL}${name}` && (isOnly || span.parentSpanId === page.spanId))
  const latest = own.toSorted((a, b) => Number(a.startTime - b.startTime)).at(-1)
  const value = latest?.attributes.get(`${VITAL}${name}.value`) ?? page.attributes.get(`${VITAL}${name}.value`)
  return (value ?? page.attributes.get(`sentry.measurement.${name}`)) as number | undefined
}

interface Entry {
  readonly span: SpanRecord
  readonly service: string
  readonly caller: string
  readonly failed: boolean
  readonly isOrphan: boolean
}

/** What services do is measured where work enters them. */
function entriesOf({ spans, errors }: Generated, window: Window): Entry[] {
  const byId = new Map(spans.map((span) => [`${span.traceId} ${span.spanId}`, span]))
  return spans
    .filter((span) => isWithin(span.startTime, window) && !isVitalSpan(span))
    .flatMap((span) => {
      const parent = span.parentSpanId && byId.get(`${span.traceId} ${span.parentSpanId}`)
      const service = serviceName(span.resource)
      const caller = parent ? serviceName(parent.resource) : ""
      const isEntry = caller !== service || span.kind === "server" || span.kind === "consumer"
      const isReported = errors.some((error) => error.traceId === span.traceId && error.service === service)
      const entry: Entry = {
        span,
        service,
        caller: opOf(span) === "pageload" ? "" : caller,
        failed: hasFailedStatus(span) || isReported,
        isOrphan: span.parentSpanId !== undefined && caller === "",
      }
      return isEntry ? [entry] : []
    })
}

/** Services, and the calls between them. */
export function expectedServices(generated: Generated, window: Window) {
  const entries = entriesOf(generated, window)
  const figures = (of: readonly Entry[]) => [
    of.length,
    of.filter(({ failed }) => failed).length,
    ...[0.5, 0.95].map((level) =>
      quantile(
        of.map(({ span }) => ms(span)),
        level,
      ),
    ),
  ]
  const traces = (of: readonly Entry[]) => new Set(of.map(({ span }) => span.traceId)).size
  return {
    services: Object.fromEntries(
      [...groupBy(entries, ({ service }) => service)].map(([service, of]) => [
        service,
        [...figures(of), traces(of), traces(of.filter(({ isOrphan }) => isOrphan))],
      ]),
    ),
    calls: Object.fromEntries(
      [
        ...groupBy(
          entries.filter(({ caller }) => caller !== ""),
          ({ caller, service }) => `${caller} → ${service}`,
        ),
      ].map(([call, of]) => [call, figures(of)]),
    ),
  }
}

/** Traces that began within the window: how many, how many failed, by which protocols, of which services, how long. */
export function expectedOverview({ spans, both }: Generated, window: Window) {
  const traces = [...byTrace(spans).values()].filter((trace) => isWithin(startOf(trace), window))
  const services = groupBy(
    traces.flatMap((trace) => [...new Set(trace.map(({ resource }) => serviceName(resource)))]),
    (service) => service,
  )
  const isBoth = ([root]: readonly SpanRecord[]) => root !== undefined && both.has(root.traceId)
  return {
    traces: traces.length,
    failed: traces.filter((trace) => trace.some(hasFailedStatus)).length,
    otlp: traces.length,
    both: traces.filter(isBoth).length,
    services: Object.fromEntries([...services].map(([name, of]) => [name, of.length])),
    p95:
      traces.length === 0
        ? undefined
        : quantile(
            traces.map((trace) => durationOf(trace) + (isBoth(trace) ? Number(COPY_LATER) : 0)),
            0.95,
          ),
  }
}

const startOf = (trace: readonly SpanRecord[]) =>
  trace.reduce((first, { startTime }) => (startTime < first ? startTime : first), trace[0]!.startTime)

/** Nanoseconds. A web vital does not lengthen its trace. */
function durationOf(trace: readonly SpanRecord[]): number {
  const start = startOf(trace)
  return trace.reduce(
    (longest, span) => (isVitalSpan(span) ? longest : Math.max(longest, Number(span.endTime - start))),
    0,
  )
}

/** Issues with an event in the window: all their events, and those of the window and of the one before it. */
export function expectedIssues({ errors }: Generated, window: Window, change: Required<IssueWindow>): object {
  return Object.fromEntries(
    [...groupBy(errors, ({ issueId }) => issueId)].flatMap(([issueId, events]) => {
      if (!events.some(({ time }) => isWithin(time, window))) return []
      const times = events.map(({ time }) => time as bigint).toSorted((a, b) => Number(a - b))
      const between = (from: bigint, until: bigint) => times.filter((time) => time >= from && time < until).length
      const figures = {
        count: events.length,
        first: times[0],
        last: times.at(-1),
        window: { count: between(change.from, change.until!), countBefore: between(change.before, change.from) },
        services: [...new Set(events.map(({ service }) => service))].toSorted(),
      }
      return [[issueId, figures]]
    }),
  )
}
