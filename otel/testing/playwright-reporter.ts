import { randomUUID } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type { FullConfig, Reporter, TestCase, TestResult, TestStep as PlaywrightStep } from "@playwright/test/reporter"
import { lastingUrl } from "./destination.ts"
import { attemptIds, isTraceAnnotation, type RecordedRequests, traceAnnotation } from "./playwright-ids.ts"
import { placeRequests, type Step } from "./place-requests.ts"
import { RunReport, type ReporterOptions } from "./run-report.ts"
import { spansOf, type TestAttempt, type TestError } from "./test-trace.ts"
import { RUN_ID_VARIABLE } from "./trace-ids.ts"

/** Playwright adds it to the options of every reporter. */
interface PlaywrightOptions extends ReporterOptions {
  /** `merge` for `playwright merge-reports`, which runs no test. */
  readonly _mode?: string
}

/**
 * A reporter of Playwright: one run for each test run, one trace for each attempt at a test, with its hooks, fixtures, steps
 * and assertions. With `test` of `pagespan/testing/playwright`, pages and servers of the app are in the same trace.
 *
 * @example
 * // playwright.config.ts: before `html`, which then has the traces of failed tests
 * reporter: [["pagespan/testing/playwright-reporter", { run: "e2e" }], ["html"]]
 */
export default class PagespanPlaywrightReporter implements Reporter {
  readonly #options: PlaywrightOptions
  /** Makes the ids of attempts, so that workers know them. Another one in each run, whatever its name. */
  readonly #runId = randomUUID()
  /** Paths of attached traces, by trace id. */
  readonly #attached = new Map<string, string>()
  #config: FullConfig | undefined
  #report: RunReport | undefined
  #url: string | undefined

  constructor(options: PlaywrightOptions = {}) {
    this.#options = options
    if (options._mode !== "merge") process.env[RUN_ID_VARIABLE] = this.#runId
  }

  printsToStdio(): boolean {
    return false
  }

  onBegin(config: FullConfig): void {
    if (this.#options._mode === "merge") return
    this.#config = config
    const { shard } = config
    let lineEnd = isBeforeDots(config) ? "\n" : ""
    this.#report = new RunReport({
      run: this.#options.run,
      framework: "playwright",
      shard: shard === null ? undefined : { index: shard.current, count: shard.total },
      environment: process.env,
      log: (line) => {
        // oxlint-disable-next-line no-console -- a reporter prints
        console.log(`${lineEnd}${line}`)
        lineEnd = ""
      },
    })
    void this.#report.inspector.then((inspector) => (this.#url = lastingUrl(inspector)))
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const report = this.#report
    report?.safely(() => {
      const known = result.annotations.find(isTraceAnnotation)
      const requests = known?.pagespan ?? { steps: [], omitted: 0 }
      // So that no report has it.
      delete known?.pagespan
      if (result.status === "skipped") {
        // It has no trace.
        for (const { annotations } of [result, test])
          if (known !== undefined && annotations.includes(known)) annotations.splice(annotations.indexOf(known), 1)
        return
      }
      const hasPassed = result.status === test.expectedStatus
      const attempt = this.#attempt(test, result, requests)
      report.add(attempt, hasPassed || result.retry >= test.retries)
      const annotation = traceAnnotation(attempt.traceId, this.#url)
      if (known === undefined) result.annotations.push(annotation)
      else if (this.#url !== undefined) known.description = annotation.description
      if (!hasPassed) this.#attach(test, result, attempt)
    })
  }

  async onEnd(): Promise<void> {
    await this.#report?.finish(({ attempt, text }) => {
      const path = this.#attached.get(attempt.traceId)
      if (path !== undefined) writeFileSync(path, text)
    })
  }

  #attempt(test: TestCase, result: TestResult, requests: RecordedRequests): TestAttempt {
    const startMs = result.startTime.getTime()
    const ids = (retry: number) => attemptIds(this.#runId, test.id, retry)
    const project = test.parent.project()
    const [, , , ...titles] = test.titlePath()
    const steps = result.steps.map(stepOf)
    return {
      ...ids(result.retry),
      file: relative(this.#config?.rootDir ?? process.cwd(), test.location.file).replaceAll("\\", "/"),
      path: test.location.file,
      line: test.location.line,
      titles,
      startMs,
      // Playwright does not count the hooks after a test in its duration.
      endMs: Math.max(startMs + result.duration, ...steps.map((step) => step.endMs ?? startMs)),
      status: statusOf(test, result),
      retry: result.retry,
      previous: result.retry === 0 ? undefined : ids(result.retry - 1),
      errors: result.status === test.expectedStatus ? [] : result.errors.map(errorOf),
      steps: placeRequests(steps, requests.steps),
      omittedSteps: requests.omitted,
      attributes: {
        "playwright.project": project?.name || undefined,
        "playwright.status": result.status,
        "playwright.worker_index": result.workerIndex,
      },
    }
  }

  /** At first with what Playwright recorded; `onEnd` writes the whole trace if the inspector has it. */
  #attach(test: TestCase, result: TestResult, attempt: TestAttempt): void {
    const name = `trace-${attempt.traceId}.otlp.json`
    const path = join(test.parent.project()?.outputDir ?? "test-results", "pagespan", name)
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, this.#report?.requestOf(spansOf(attempt)) ?? "")
    } catch {
      return // The trace was sent nevertheless.
    }
    result.attachments.push({ name, contentType: "application/json", path })
    this.#attached.set(attempt.traceId, path)
  }
}

/** Whether `dot` is listed behind this reporter: then its line of dots is still open when this one prints. */
function isBeforeDots({ reporter }: FullConfig): boolean {
  const names = reporter.map(([name]) => name)
  return names.lastIndexOf("dot") > names.findIndex((name) => /playwright-reporter(?:\.[jt]s)?$/.test(name))
}

function statusOf(test: TestCase, { status }: TestResult): TestAttempt["status"] {
  if (status === test.expectedStatus) return "pass"
  return status === "timedOut" ? "timed_out" : "fail"
}

/** Category of the steps that are calls of Playwright's own functions. */
const ACTION = "pw:api"

/** An action's title without what is quoted in it, which may be what the test typed. */
function stepOf(step: PlaywrightStep): Step {
  const { category, duration, error, location, startTime } = step
  const startMs = startTime.getTime()
  return {
    name: category === ACTION ? (step.title.split('"', 1)[0] ?? "").trimEnd() : step.title,
    startMs,
    endMs: duration < 0 ? undefined : startMs + duration,
    error: error && errorOf(error),
    attributes: {
      "playwright.step.category": category,
      "code.file.path": location?.file,
      "code.line.number": location?.line,
    },
    steps: step.steps.map(stepOf),
  }
}

function errorOf({ message, value, stack }: { message?: string; value?: string; stack?: string }): TestError {
  const text = message ?? value ?? ""
  const [, name] = /^(\w*Error): /.exec(text) ?? []
  return { name, message: name === undefined ? text : text.slice(name.length + 2), stack }
}
