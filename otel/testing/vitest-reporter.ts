import type { Reporter, TestCase, Vitest } from "vitest/node"
import { RunReport, type ReporterOptions } from "./run-report.ts"
import type { TestAttempt, TestError } from "./test-trace.ts"
import { randomIds, RUN_ID_VARIABLE } from "./trace-ids.ts"
import { ATTEMPTS_IN_META, type RecordedAttempt } from "./vitest-meta.ts"

/**
 * A reporter of Vitest: one run for each test run, one trace for each attempt at a test. With
 * `pagespan/testing/vitest-setup`, the traces also have what the test did.
 *
 * @example
 * // vitest.config.ts
 * test: { reporters: ["default", ["pagespan/testing/vitest-reporter", { run: "unit" }]] }
 */
export default class PagespanVitestReporter implements Reporter {
  readonly #options: ReporterOptions
  #vitest: Vitest | undefined
  #report: RunReport | undefined

  constructor(options: ReporterOptions = {}) {
    this.#options = options
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(): void {
    const { mergeReports, shard } = this.#vitest?.config ?? {}
    // `vitest --merge-reports` runs no test, and each shard has sent its traces.
    if (mergeReports !== undefined) return
    process.env[RUN_ID_VARIABLE] ??= randomIds().traceId
    this.#report = new RunReport({
      ...this.#options,
      framework: "vitest",
      shard,
      environment: process.env,
      log: (line) => this.#vitest?.logger.log(line),
    })
  }

  onTestCaseResult(test: TestCase): void {
    this.#report?.safely(() => {
      const attempts = attemptsOf(test)
      for (const [index, attempt] of attempts.entries()) this.#report?.add(attempt, index === attempts.length - 1)
    })
  }

  async onTestRunEnd(): Promise<void> {
    await this.#report?.finish()
  }
}

/** None of a test that was skipped. */
function attemptsOf(test: TestCase): TestAttempt[] {
  const { state, errors } = test.result()
  if (state !== "passed" && state !== "failed") return []
  const recorded = takeRecorded(test)
  const last = recorded.length - 1
  return recorded.map((attempt, index) => {
    const isLast = index === last
    // Vitest decides about the last attempt, also for tests that are expected to fail.
    const hasPassed = isLast ? state === "passed" : attempt.errors.length === 0
    const ownErrors = attempt.errors.length > 0 || !isLast ? attempt.errors : (errors ?? []).map(plainError)
    return {
      ...attempt,
      file: test.module.relativeModuleId,
      path: test.module.moduleId,
      line: test.location?.line,
      titles: titlesOf(test),
      status: hasPassed ? "pass" : "fail",
      retry: index,
      previous: index === 0 ? undefined : recorded[index - 1],
      errors: hasPassed ? [] : ownErrors,
      omittedSteps: attempt.omitted,
      attributes: { "vitest.project": test.project.name || undefined },
    }
  })
}

/** What the set-up file recorded, removed from the test. Without it, the one attempt that Vitest knows. */
function takeRecorded(test: TestCase): readonly RecordedAttempt[] {
  const meta = test.meta() as { [ATTEMPTS_IN_META]?: readonly RecordedAttempt[] }
  const recorded = meta[ATTEMPTS_IN_META] ?? []
  delete meta[ATTEMPTS_IN_META]
  if (recorded.length > 0) return recorded
  const { startTime = Date.now(), duration = 0 } = test.diagnostic() ?? {}
  return [{ ...randomIds(), startMs: startTime, endMs: startTime + duration, steps: [], omitted: 0, errors: [] }]
}

function titlesOf(test: TestCase): string[] {
  const titles = [test.name]
  for (let { parent } = test; parent.type === "suite"; { parent } = parent) titles.unshift(parent.name)
  return titles
}

function plainError({ name, message, stack }: TestError): TestError {
  return { name, message, stack }
}
