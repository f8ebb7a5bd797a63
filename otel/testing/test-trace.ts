import type { KeyValueJson, SpanJson, SpanLinkJson } from "../protocol/otlp/traces-json.ts"
import { cutText } from "../protocol/records/value-limits.ts"
import { redactAddress, redactText } from "../protocol/redact.ts"
import { randomSpanId } from "./trace-ids.ts"

/**
 * The trace of one attempt at a test, in the form that both frameworks are read into, and its spans. Times are
 * milliseconds since the epoch, as the framework measured them.
 */

/** An attempt at a test: the root of a trace. */
export interface TestAttempt {
  readonly traceId: string
  readonly spanId: string
  /** The test file, relative to the directory of the project's tests: it begins names. */
  readonly file: string
  /** Its absolute path, as spans of steps have it, which an editor opens. Default: `file`. */
  readonly path?: string | undefined
  readonly line?: number | undefined
  /** Titles of the suites around the test, then its own. */
  readonly titles: readonly string[]
  readonly startMs: number
  readonly endMs: number
  readonly status: TestStatus
  /** 0 for the first attempt. */
  readonly retry: number
  /** The attempt before this one. */
  readonly previous?: { readonly traceId: string; readonly spanId: string } | undefined
  readonly errors: readonly TestError[]
  readonly attributes?: TestAttributes | undefined
  readonly steps: readonly TestStep[]
  /** Steps that were left out. */
  readonly omittedSteps?: number | undefined
}

export type TestStatus = "pass" | "fail" | "timed_out"
export type TestAttributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A hook, a step, an assertion or a request of a test. */
export interface TestStep {
  /** Only of a step whose id is known elsewhere: a request's is in its `traceparent`. */
  readonly spanId?: string | undefined
  readonly name: string
  readonly isRequest?: boolean | undefined
  /** Whether Playwright's `APIRequestContext` sent the request. */
  readonly isApiRequest?: boolean | undefined
  readonly startMs: number
  /** Absent: the step did not end before the test. */
  readonly endMs?: number | undefined
  readonly error?: TestError | undefined
  readonly attributes?: TestAttributes | undefined
  readonly steps?: readonly TestStep[] | undefined
}

export interface TestError {
  readonly name?: string | undefined
  readonly message: string
  readonly stack?: string | undefined
}

/** Spans of one trace. A test that asserts in a loop would make any number. */
export const SPAN_LIMIT = 2_000
const TEXT_LIMIT_BYTES = 8 * 1024
const NAME_LIMIT_BYTES = 1024

const INTERNAL = 1
const CLIENT = 3
const OK = 1
const ERROR = 2
const SAMPLED = 1

/** The root and its steps, the root first. Steps beyond `SPAN_LIMIT` are left out and counted on the root. */
export function spansOf(attempt: TestAttempt): SpanJson[] {
  const { traceId, spanId, titles, file, retry, previous, status, errors } = attempt
  const spans: SpanJson[] = []
  let omitted = attempt.omittedSteps ?? 0
  const addAll = (steps: readonly TestStep[], parentSpanId: string): void => {
    for (const step of steps) {
      if (spans.length >= SPAN_LIMIT - 1) {
        omitted += countOf(step)
        continue
      }
      const span = stepSpan(step, traceId, parentSpanId, attempt.endMs)
      spans.push(span)
      if (step.steps !== undefined) addAll(step.steps, span.spanId)
    }
  }
  addAll(attempt.steps, spanId)
  const root: SpanJson = {
    traceId,
    spanId,
    flags: SAMPLED,
    name: nameOf(`${file} › ${titles.join(" › ")}`),
    kind: INTERNAL,
    startTimeUnixNano: unixNano(attempt.startMs),
    endTimeUnixNano: unixNano(Math.max(attempt.endMs, attempt.startMs)),
    attributes: keyValues({
      "test.suite.name": [file, ...titles.slice(0, -1)].join(" › "),
      "test.case.name": titles.at(-1) ?? "",
      "test.case.result.status": status === "pass" ? "pass" : "fail",
      "test.case.retry": retry,
      "code.file.path": attempt.path ?? file,
      "code.line.number": attempt.line,
      ...(status === "timed_out" && { "error.type": "timeout" }),
      ...(omitted > 0 && { "pagespan.omitted_steps": omitted }),
      ...attempt.attributes,
    }),
    ...(errors.length > 0 && { events: errors.map((error) => exceptionEvent(error, attempt.endMs)) }),
    ...(previous !== undefined && { links: [linkTo(previous)] }),
    status: status === "pass" ? { code: OK } : { code: ERROR, message: shortText(errors[0]?.message ?? status) },
  }
  return [root, ...spans]
}

function linkTo({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }): SpanLinkJson {
  return { traceId, spanId, attributes: keyValues({ "pagespan.link": "previous_attempt" }) }
}

function stepSpan(step: TestStep, traceId: string, parentSpanId: string, testEndMs: number): SpanJson {
  const { startMs, error, attributes } = step
  const endMs = Math.max(step.endMs ?? testEndMs, startMs)
  return {
    traceId,
    spanId: step.spanId ?? randomSpanId(),
    parentSpanId,
    flags: SAMPLED,
    name: nameOf(step.name),
    kind: step.isRequest ? CLIENT : INTERNAL,
    startTimeUnixNano: unixNano(startMs),
    endTimeUnixNano: unixNano(endMs),
    ...(attributes !== undefined && { attributes: keyValues(attributes) }),
    ...(error !== undefined && { events: [exceptionEvent(error, endMs)] }),
    status: error === undefined ? {} : { code: ERROR, message: shortText(error.message) },
  }
}

function countOf(step: TestStep): number {
  return 1 + (step.steps ?? []).reduce((sum, each) => sum + countOf(each), 0)
}

function exceptionEvent({ name, message, stack }: TestError, timeMs: number): NonNullable<SpanJson["events"]>[number] {
  return {
    timeUnixNano: unixNano(timeMs),
    name: "exception",
    attributes: keyValues({
      "exception.type": name ?? "Error",
      "exception.message": plainText(message),
      "exception.stacktrace": stack && plainText(stack),
    }),
  }
}

// oxlint-disable-next-line no-control-regex -- it matches the escape sequences of colors
const COLOR = /\u001b\[[\d;]*m/g

/** Without colors and secrets, within its limit. */
export function plainText(text: string): string {
  return redactText(cutText(text.includes("\u001b") ? text.replace(COLOR, "") : text, TEXT_LIMIT_BYTES))
}

function shortText(text: string): string {
  return cutText(plainText(text), NAME_LIMIT_BYTES)
}

function nameOf(text: string): string {
  return cutText(redactAddress(text), NAME_LIMIT_BYTES)
}

export function keyValues(attributes: TestAttributes): KeyValueJson[] {
  const pairs: KeyValueJson[] = []
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "string") pairs.push({ key, value: { stringValue: value } })
    else if (typeof value === "boolean") pairs.push({ key, value: { boolValue: value } })
    else if (Number.isSafeInteger(value)) pairs.push({ key, value: { intValue: String(value) } })
    else if (value !== undefined) pairs.push({ key, value: { doubleValue: value } })
  }
  return pairs
}

/** Nanoseconds as text; exact to the microsecond, which is what the clocks give. */
function unixNano(milliseconds: number): string {
  const whole = Math.trunc(milliseconds)
  return `${whole}${String(Math.trunc((milliseconds - whole) * 1_000)).padStart(3, "0")}000`
}
