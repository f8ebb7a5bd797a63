import { aroundEach, chai, TestRunner } from "vitest"
import {
  type ActiveAttempt,
  activeAttempt,
  nowMs,
  startAttempt,
  startStep,
  testError,
  withAttempt,
  withOnlyAttempt,
} from "./active-attempt.ts"
import { safely } from "../protocol/safely.ts"
import { traceNodeRequests, traceOrigins } from "./node-requests.ts"
import type { TestError } from "./test-trace.ts"
import { randomIds, RUN_ID_VARIABLE } from "./trace-ids.ts"
import { ATTEMPTS_IN_META, type RecordedAttempt } from "./vitest-meta.ts"

/**
 * A set-up file of Vitest (`test.setupFiles`). It gives each attempt at a test a trace of its own: requests that the test
 * sends, and spans of OpenTelemetry that code under test starts in this process, are below it. Hooks and assertions become
 * its steps. `pagespan/testing/vitest-reporter` sends them.
 *
 * @example
 * // vitest.config.ts
 * test: { setupFiles: ["pagespan/testing/vitest-setup"], reporters: ["default", "pagespan/testing/vitest-reporter"] }
 */

/** Assertions of one attempt that hold and become spans. */
const ASSERTION_LIMIT = 100
const MATCHER = /^to[A-Z]/
const WRAPPED = Symbol.for("pagespan.test-assertions")
/** Where a registered SDK is. Without one, nothing starts spans, and loading the API would cost each test file time. */
const OPENTELEMETRY = Symbol.for("opentelemetry.js.api.1")
const BEFORE_EACH = "beforeEach"
const AFTER_EACH = "afterEach"

type Task = Parameters<Parameters<typeof aroundEach>[0]>[1]["task"]
type Suite = Parameters<typeof TestRunner.getSuiteHooks>[0]

if (process.env[RUN_ID_VARIABLE] !== undefined) {
  traceNodeRequests(traceOrigins())
  recordAssertions()
  aroundEach(async (runTest, { task }) => {
    safely(() => recordHooks(task))
    const attempt = startAttempt(randomIds(), () => task.timeout)
    const errorCount = task.result?.errors?.length ?? 0
    const run = OPENTELEMETRY in globalThis ? await inContext(attempt, runTest) : runTest
    try {
      await (mayRunBesideOthers(task) ? withAttempt : withOnlyAttempt)(attempt, run)
    } finally {
      safely(() => addToMeta(task, attempt, (task.result?.errors ?? []).slice(errorCount)))
    }
  })
}

/** Makes the attempt the parent of spans that the program starts. */
async function inContext({ traceId, spanId }: ActiveAttempt, run: () => Promise<void>): Promise<() => Promise<void>> {
  const { context, trace, TraceFlags } = await import("@opentelemetry/api")
  const parent = trace.wrapSpanContext({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })
  return () => context.with(trace.setSpan(context.active(), parent), run)
}

function addToMeta(task: Task, attempt: ActiveAttempt, errors: readonly Partial<TestError>[]): void {
  const { traceId, spanId, startMs, steps, omitted } = attempt
  const record: RecordedAttempt = {
    traceId,
    spanId,
    startMs,
    endMs: nowMs(),
    steps,
    omitted,
    errors: errors.map(({ name, message, stack }) => ({ name, message: String(message), stack })),
  }
  const meta = task.meta as { [ATTEMPTS_IN_META]?: RecordedAttempt[] }
  ;(meta[ATTEMPTS_IN_META] ??= []).push(record)
}

/** A test that is not concurrent may be in a suite that is. */
function mayRunBesideOthers(task: Task): boolean {
  return (
    task.concurrent === true || [...suitesAround(task.suite ?? task.file)].some((suite) => suite.concurrent === true)
  )
}

/** Suites whose hooks are recorded. */
const recorded = new WeakSet<Suite>()

/**
 * Makes the `beforeEach` and the `afterEach` hooks of the test's suites one step each. Vitest calls hooks in their order, so one
 * behind the last `beforeEach` and one before the first `afterEach` know where the test begins and ends.
 */
function recordHooks(task: Task): void {
  const inner = task.suite ?? task.file
  if (recorded.has(inner)) return
  recorded.add(inner)
  const hooks = [...suitesAround(inner)].map((suite) => TestRunner.getSuiteHooks(suite))
  const [own] = hooks
  if (hooks.some(({ beforeEach }) => beforeEach.length > 0)) own?.beforeEach.push(endBeforeEach)
  if (hooks.some(({ afterEach }) => afterEach.length > 0)) own?.afterEach.push(startAfterEach)
}

/** The suite and those around it, the file last. */
function* suitesAround(inner: Suite): Generator<Suite> {
  for (
    let suite: Suite | undefined = inner;
    suite !== undefined;
    suite = "filepath" in suite ? undefined : (suite.suite ?? suite.file)
  )
    yield suite
}

/** Of several in nested suites, the last one counts. */
function endBeforeEach(): void {
  const attempt = activeAttempt()
  if (attempt === undefined) return
  // Hooks have a timeout of their own.
  attempt.timeoutFromMs = nowMs()
  const step = attempt.steps.find(({ name }) => name === BEFORE_EACH) ?? startStep(attempt, BEFORE_EACH)
  if (step !== undefined) Object.assign(step, { startMs: attempt.startMs, endMs: nowMs() })
}

/** Of several in nested suites, the first one counts. The step ends with the attempt. */
function startAfterEach(): void {
  const attempt = activeAttempt()
  if (attempt === undefined || attempt.steps.some(({ name }) => name === AFTER_EACH)) return
  attempt.timeoutFromMs = nowMs()
  startStep(attempt, AFTER_EACH)
}

/**
 * Makes each `expect(…).toBe(…)` a step. Chai removes a method that it overwrites this way from stacks. Inline snapshots remain as
 * they are: Vitest finds their place in the file by the number of functions between it and the test.
 */
function recordAssertions(): void {
  const methods = chai.Assertion.prototype as unknown as Record<string | symbol, unknown>
  if (methods[WRAPPED]) return
  Object.defineProperty(methods, WRAPPED, { value: true })
  for (const name of Object.getOwnPropertyNames(methods).filter(isRecorded))
    chai.util.overwriteMethod(methods, name, (matcher: (...values: unknown[]) => unknown) => {
      return function (this: unknown, ...values: unknown[]): unknown {
        return recordAssertion(name, () => matcher.apply(this, values))
      }
    })
}

function isRecorded(name: string): boolean {
  return MATCHER.test(name) && !name.includes("InlineSnapshot")
}

function recordAssertion(name: string, run: () => unknown): unknown {
  const attempt = activeAttempt()
  if (attempt === undefined) return run()
  const startMs = nowMs()
  const record = (error?: unknown): void => {
    if (error === undefined && ++attempt.assertions > ASSERTION_LIMIT) return void attempt.omitted++
    const step = startStep(attempt, `expect.${name}`)
    if (step !== undefined)
      Object.assign(step, { startMs, endMs: nowMs(), ...(error !== undefined && { error: testError(error) }) })
  }
  try {
    const result = run()
    if (!(result instanceof Promise)) {
      record()
      return result
    }
    result.then(() => record(), record)
    return result
  } catch (error) {
    record(error)
    throw error
  }
}
