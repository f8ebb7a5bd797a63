import { AsyncLocalStorage } from "node:async_hooks"
import { serverPort } from "../protocol/transport/server-port.ts"
import type { TestAttributes, TestError, TestStep } from "./test-trace.ts"
import { randomSpanId } from "./trace-ids.ts"

/** The attempt at a test that runs in this process, and what is recorded of it beside the framework's own steps. */
export interface ActiveAttempt {
  readonly traceId: string
  readonly spanId: string
  readonly startMs: number
  /** The timeout of the test, which it may change itself; 0 for none. */
  readonly timeoutMs: () => number
  /** Since when the timeout runs, in milliseconds since the epoch. */
  timeoutFromMs: number
  readonly steps: OpenStep[]
  /** Those of Vitest that held. */
  assertions: number
  /** Steps beyond a limit. */
  omitted: number
}

/** A step whose end is not known yet. Plain JSON, since it goes from a worker to the reporter. */
export type OpenStep = { -readonly [Key in keyof TestStep]: TestStep[Key] }

/** Steps of one attempt: a test that asserts or requests in a loop makes any number. */
const STEP_LIMIT = 500

/** In a test, the clock may be a fake one. */
const clock = performance.now.bind(performance)
const { timeOrigin } = performance

/** Milliseconds since the epoch, with a fraction, from the real clock. */
export function nowMs(): number {
  return timeOrigin + clock()
}

interface Attempts {
  /** Of tests that run at the same time in one process. */
  readonly storage: AsyncLocalStorage<ActiveAttempt>
  /** The only one, where a framework runs the parts of a test in contexts that do not inherit from each other. */
  only: ActiveAttempt | undefined
}

/** On the global object, because test frameworks load a module anew for each test file. */
const ATTEMPTS = Symbol.for("pagespan.test-attempts")
const globals = globalThis as { [ATTEMPTS]?: Attempts }

function attempts(): Attempts {
  return (globals[ATTEMPTS] ??= { storage: new AsyncLocalStorage(), only: undefined })
}

/** The attempt in whose context the caller runs. */
export function activeAttempt(): ActiveAttempt | undefined {
  const { storage, only } = attempts()
  return storage.getStore() ?? only
}

export function startAttempt(
  { traceId, spanId }: { readonly traceId: string; readonly spanId: string },
  timeoutMs: () => number,
): ActiveAttempt {
  const startMs = nowMs()
  return { traceId, spanId, startMs, timeoutMs, timeoutFromMs: startMs, steps: [], assertions: 0, omitted: 0 }
}

/** Milliseconds until the framework ends the test that runs. */
export function untilTimeoutMs(): number {
  const attempt = activeAttempt()
  return attempt === undefined ? Infinity : attempt.timeoutFromMs + (attempt.timeoutMs() || Infinity) - nowMs()
}

/** Makes it the active attempt of what `run` does, while others may run in this process. */
export function withAttempt<T>(attempt: ActiveAttempt, run: () => T): T {
  return attempts().storage.run(attempt, run)
}

/**
 * Makes it the active attempt of the process while `run` runs, where no other runs meanwhile. Before Node.js 24, the first use of
 * `AsyncLocalStorage` makes every promise of the process cost more: that doubled the time of a test that asserts once.
 */
export async function withOnlyAttempt(attempt: ActiveAttempt, run: () => Promise<void>): Promise<void> {
  setOnlyAttempt(attempt)
  try {
    await run()
  } finally {
    setOnlyAttempt(undefined)
  }
}

/** Makes it the active attempt of the process. */
export function setOnlyAttempt(attempt: ActiveAttempt | undefined): void {
  attempts().only = attempt
}

/** Starts a step now. `undefined` beyond the limit. */
export function startStep(attempt: ActiveAttempt, name: string): OpenStep | undefined {
  if (attempt.steps.length >= STEP_LIMIT) {
    attempt.omitted++
    return undefined
  }
  const step: OpenStep = { name, startMs: nowMs() }
  attempt.steps.push(step)
  return step
}

/** For what turns out to be none of the test's. */
export function removeStep({ steps }: ActiveAttempt, step: OpenStep): void {
  const index = steps.indexOf(step)
  if (index >= 0) steps.splice(index, 1)
}

/** A request of the test, with the id that its `traceparent` has. */
export function startRequest(attempt: ActiveAttempt, method: string, url: URL): OpenStep & { spanId: string } {
  const attributes: TestAttributes = {
    "http.request.method": method,
    "url.full": `${url.origin}${url.pathname}`,
    "server.address": url.hostname,
    "server.port": serverPort(url),
  }
  const step = startStep(attempt, `${method} ${url.pathname}`) ?? { name: "", startMs: 0 }
  return Object.assign(step, { spanId: randomSpanId(), isRequest: true, attributes })
}

/** How a request ended: by a response, by an error, or because it was aborted, which is none. */
export interface RequestResult {
  readonly status?: number | undefined
  readonly error?: TestError | undefined
  readonly isAborted?: boolean | undefined
}

export function endRequest(step: OpenStep, { status, error, isAborted }: RequestResult): void {
  step.endMs = nowMs()
  const type =
    error?.name ?? (isAborted ? "AbortError" : status !== undefined && status >= 400 ? String(status) : undefined)
  step.attributes = { ...step.attributes, "http.response.status_code": status, "error.type": type }
  if (error !== undefined) step.error = error
}

/** What was thrown, as plain JSON. */
export function testError(thrown: unknown): TestError {
  if (thrown instanceof Error) return { name: thrown.name, message: thrown.message, stack: thrown.stack }
  return { message: String(thrown) }
}
