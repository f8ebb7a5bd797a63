import { duration, plain } from "../protocol/line-text.ts"
import type { TracesJson } from "../protocol/otlp/traces-json.ts"
import type { DropRow, InspectorReader } from "./inspector-reader.ts"
import type { TestAttempt } from "./test-trace.ts"

/** What is printed below a failed test. Each list has at most this many lines. */
const LINE_LIMIT = 3
const LINE_LENGTH = 200
/** Spans of a trace that is read whole. */
const SPAN_LIMIT = 20_000
/** The servers of the app export in batches, by default every five seconds. */
const ARRIVAL_LIMIT_MS = 6_000
/** A trace that has not grown for this long is taken as complete. */
const SETTLED_MS = 1_500
const POLL_MS = 250

/** A failed test and its trace as the inspector has it. */
export interface FailedTest {
  readonly attempt: TestAttempt
  /** OTLP/JSON, if the trace is stored and not too large. */
  readonly text: string | undefined
}

/** Waits until the traces have stopped growing, and reads them. */
export async function readFailedTests(
  reader: InspectorReader,
  attempts: readonly TestAttempt[],
): Promise<readonly FailedTest[]> {
  const sinceMs = Math.min(...attempts.map(({ startMs }) => startMs))
  const ids = `trace:(${attempts.map(({ traceId }) => traceId).join(" OR ")})`
  const deadline = Date.now() + ARRIVAL_LIMIT_MS
  let counts = new Map<string, number>()
  for (let grownAt = Date.now(); Date.now() < deadline; await pause()) {
    const { traces } = await reader.traces(ids, sinceMs - 1_000, attempts.length)
    const found = new Map(traces.map(({ traceId, spanCount }) => [traceId, spanCount]))
    if (traces.some(({ traceId, spanCount }) => counts.get(traceId) !== spanCount)) grownAt = Date.now()
    counts = found
    if (found.size === attempts.length && Date.now() - grownAt >= SETTLED_MS) break
  }
  const failed: FailedTest[] = []
  for (const attempt of attempts) {
    const isReadable = (counts.get(attempt.traceId) ?? Infinity) <= SPAN_LIMIT
    failed.push({ attempt, text: isReadable ? await reader.traceText(attempt.traceId) : undefined })
  }
  return failed
}

/** Findings, errors and drops of the test's time, without what the test itself reports. */
export async function failureLines(
  reader: InspectorReader,
  { attempt, text }: FailedTest,
  ownService: string,
): Promise<string[]> {
  const { traceId, startMs, endMs } = attempt
  const [findings, issues, drops] = await Promise.all([
    reader.findings(traceId).catch(() => []), // the trace is not stored
    reader.issues(startMs),
    reader.drops(startMs, endMs + ARRIVAL_LIMIT_MS),
  ])
  const found = findings
    .filter(({ service }) => service !== ownService)
    .map(({ title, durationNano, parentName, service }) => {
      const below = parentName === null ? "" : ` · under ${parentName}`
      return `${title} · ${duration(durationNano)}${below} (${service})`
    })
  const errors = new Set([
    ...(text === undefined ? [] : exceptionsOf(JSON.parse(text) as TracesJson, ownService)),
    ...issues
      .filter(({ lastTraceId }) => lastTraceId === traceId)
      .filter(({ services }) => !services.includes(ownService))
      .map(({ title, services }) => `${title} (${services.join(", ")})`),
  ])
  return [...listed("finding", found), ...listed("error", [...errors]), ...listed("dropped", dropTexts(drops))]
}

function exceptionsOf({ resourceSpans }: TracesJson, ownService: string): string[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === "service.name")?.value.stringValue ?? ""
    if (service === ownService) return []
    const events = scopeSpans.flatMap(({ spans }) => spans.flatMap((span) => span.events ?? []))
    return events
      .filter(({ name }) => name === "exception")
      .map(({ attributes = [] }) => {
        const [type, message] = ["exception.type", "exception.message"].map(
          (name) => attributes.find(({ key }) => key === name)?.value.stringValue,
        )
        return `${[type, message].filter(Boolean).join(": ")} (${service})`
      })
  })
}

/** Such as `3 × span at page: sample_rate`, the largest first. */
export function dropTexts(drops: readonly DropRow[]): string[] {
  const counts = new Map<string, number>()
  for (const { stage, reason, category, count } of drops) {
    const what = `${category} at ${stage}: ${reason}`
    counts.set(what, (counts.get(what) ?? 0) + count)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `${count} × ${what}`)
}

function listed(label: string, texts: readonly string[]): string[] {
  const lines = texts.slice(0, LINE_LIMIT).map((text) => `${label}: ${plain(text).slice(0, LINE_LENGTH)}`)
  return texts.length > LINE_LIMIT ? [...lines, `${label}: ${texts.length - LINE_LIMIT} more`] : lines
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS))
}
