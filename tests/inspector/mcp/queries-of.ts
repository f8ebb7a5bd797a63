import type { ToolQueries } from "#otel/inspector/mcp/tool.ts"
import type { ComparisonJson } from "#otel/inspector/queries/compare/comparison-json.ts"
import type { Attributes, AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan, spanId, TRACE_ID } from "#tests/inspector/queries/make-span.ts"

/** Every text field of every record that a tool reads has this text. */
export function queriesOf(text: string): ToolQueries {
  const attributes: Attributes = new Map<string, AttributeValue>([
    [`http.${text}`, text],
    [text, new Map([[text, [text, text]]])],
    ["exception.type", text],
    ["exception.message", text],
  ])
  const status = { code: "error", message: text } as const
  const events = [
    { time: nanoseconds(EPOCH), name: text, attributes },
    { time: nanoseconds(EPOCH), name: "exception", attributes },
  ]
  const span = (number: number, parent?: number) =>
    makeSpan(number, {
      ...(parent !== undefined && { parent }),
      name: text,
      service: text,
      status,
      attributes,
      events,
      traceState: text,
      resource: { attributes: new Map([...attributes, ["service.name", text]]), schemaUrl: text },
      scope: { name: text, version: text, attributes },
      links: [{ traceId: TRACE_ID, spanId: spanId(1), traceState: text, attributes }],
      to: BigInt(number) + 5_000n,
    })
  const spans: readonly SpanRecord[] = [span(1), ...[2, 3, 4, 5, 6, 7].map((number) => span(number, 1))]
  const texts = [text, text]
  const frame = { function: text, file: text, module: text, line: 1, column: 1, context: text, inApp: true }
  const issue = {
    issueId: "1".repeat(32),
    title: text,
    count: 3,
    firstSeen: "1",
    lastSeen: "2",
    lastTraceId: TRACE_ID,
    level: text,
    transaction: text,
    handled: null,
    users: 1,
    sessions: 1,
    releases: texts,
    environments: texts,
    services: texts,
    sources: texts,
  }
  const exception = { type: text, value: text, module: text, mechanism: text, stackText: text, frames: [frame, frame] }
  const event = { eventId: "2".repeat(32), traceId: TRACE_ID, spanId: spanId(1), exceptions: [exception, exception] }
  const trace = {
    traceId: TRACE_ID,
    name: text,
    provisional: false,
    services: texts,
    startTimeUnixNano: "1",
    durationNano: "5000000",
    spanCount: 7,
    errorCount: 1,
    sources: ["otlp"],
  }
  const item = { itemId: "3".repeat(32), type: text, fileName: text, byteLength: 5, contentType: text }
  const drop = {
    time: "1",
    stage: "page",
    reason: "network_error",
    category: "span",
    count: 1,
    sender: "client",
  } as const
  const finding = {
    kind: "repeated_siblings",
    title: `6 × ${text}`,
    spanIds: [spanId(2)],
    count: 6,
    durationNano: "5000000",
    parentSpanId: spanId(1),
    parentName: text,
    name: text,
    service: text,
    message: text,
  }
  const log = {
    logId: "4".repeat(32),
    timeUnixNano: "1",
    severityNumber: 9,
    severityText: text,
    eventName: text,
    body: text,
    traceId: TRACE_ID,
    spanId: spanId(1),
    service: text,
    attributes: { [`http.${text}`]: text, [text]: { [text]: [text, text] } },
    source: "otlp",
  }
  const group = { filter: text, traces: 5, sampled: 3 }
  const part = { traces: 1, share: 0.5 }
  const answers = {
    traces: [trace, trace],
    trace: { spans, stored: spans.length },
    span: spans,
    findings: [finding, finding],
    errors: [issue, issue],
    issue: { ...issue, events: [event] },
    itemsOfEvent: [
      { ...item, facts: [[text, text]] },
      { ...item, facts: [] },
    ],
    logs: [log, { ...log, body: { [text]: [text, { [text]: text }] }, severityNumber: 0 }],
    compare: comparisonOf(text),
    ...servicesOf(text),
    budgets: budgetsOf(text),
    drops: [{ ...drop, sample: text }],
    differences: {
      selection: group,
      baseline: group,
      attributes: [
        { attribute: text, values: [{ value: text, term: text, selection: part, baseline: part, difference: 1 }] },
      ],
      omitted: [text, `id.${text}`],
    },
  }
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [name, () => Promise.resolve(answer)]),
  ) as unknown as ToolQueries
}

/** A service that calls another, and a session with an error. */
function servicesOf(text: string) {
  const figures = { count: 4, failed: 1, p50: 5, p95: 9 }
  const call = { caller: text, callee: text, ...figures }
  const entry = { traceId: TRACE_ID, spanId: spanId(1), name: text, durationMs: 5, failed: true }
  const view = {
    kind: "pageload",
    traceId: TRACE_ID,
    spanId: spanId(1),
    name: text,
    service: text,
    failed: true,
    durationNano: "5000000",
    vitals: { lcp: 5 },
  }
  const error = { issueId: "1".repeat(32), title: text, traceId: TRACE_ID }
  return {
    services: { services: [{ service: text, ...figures, callers: [text], callees: [text] }], calls: [call], total: 1 },
    service: {
      ...figures,
      callers: [call],
      callees: [call],
      operations: [{ name: text, ...figures }],
      slowest: [entry],
      failing: [entry],
    },
    session: {
      isCut: false,
      steps: [
        { view, errors: [error], idleNano: "5000000" },
        { view: null, errors: [error], idleNano: "0" },
      ],
    },
  }
}

/** A limit of a route and one of all data, each failed. */
function budgetsOf(text: string) {
  const result = {
    route: text,
    kind: "load",
    metric: "spans",
    span: text,
    stat: "max",
    limit: text,
    unit: "count",
    path: ["routes", text],
    traceId: TRACE_ID,
    verdict: "fail",
    reason: "over the limit",
    value: 5,
    samples: 3,
  }
  return {
    verdict: "fail",
    counts: { fail: 2, undecided: 0, pass: 0 },
    results: [result, { ...result, route: null, span: null }],
  }
}

/** A route of both sides, and a span path of one. */
function comparisonOf(text: string): ComparisonJson {
  const figures = { count: 20, failed: 1, p50: 5, p95: 9 }
  const difference = { value: 0, verdict: "within_noise" } as const
  const side = { filter: text, sinceUnixNano: null, untilUnixNano: null, traces: 9, sampled: 9 }
  const of = { count: 0, p50: difference, p95: difference, failedShare: difference }
  const step = { service: text, name: text }
  return {
    a: side,
    b: side,
    routes: [{ route: text, kind: "load", a: figures, b: figures, difference: of, impactMs: 0 }],
    routeCount: 2,
    spanPaths: [
      { path: [step, step], a: null, b: figures, difference: null, perTrace: { a: 0, b: 1, difference }, impactMs: 5 },
    ],
    spanPathCount: 2,
  }
}
