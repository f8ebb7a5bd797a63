import { test as base } from "@playwright/test"
import { setOnlyAttempt, startAttempt } from "./active-attempt.ts"
import { traceNodeRequests, traceOrigins } from "./node-requests.ts"
import { findInspector, type InspectorAddress, lastingUrl } from "./destination.ts"
import { attemptIds, type RecordedRequests, traceAnnotation } from "./playwright-ids.ts"
import { RUN_ID_VARIABLE } from "./trace-ids.ts"
import { BrowserTracing, type TracedTest } from "./playwright-browser.ts"
import { PageLeaving, traceApi } from "./playwright-page.ts"

// So that a test only changes the name of the module that it imports.
export * from "@playwright/test"

/** Options of the fixture, in `use` of a project or in `test.use`. */
export interface TraceOptions {
  /**
   * Origins that get `traceparent`, such as `https://staging.example`, besides loopback, `baseURL` and
   * `PAGESPAN_TRACE_ORIGINS`. Default: none.
   */
  readonly traceOrigins: readonly string[]
}

interface TraceFixtures extends TraceOptions {
  /** The trace of the attempt, for the other fixtures. `undefined` without the reporter. */
  readonly tracedTest: TracedTest | undefined
}

/** Looked for once in a worker, while tests run. */
let inspector: Promise<InspectorAddress | undefined> | undefined
/** A worker runs one test at a time, and has one browser. */
const tracing = new BrowserTracing()
const leaving = new PageLeaving()

/**
 * Playwright's `test`, whose pages and requests propagate the trace of the test: what servers and pages of the app record is
 * below the step that caused it. Needs `pagespan/testing/playwright-reporter`, which sends the trace.
 *
 * @example
 * import { expect, test } from "pagespan/testing/playwright"
 *
 * test("pays", async ({ page }) => {
 *   await page.goto("/checkout")
 *   await expect(page.getByRole("heading")).toHaveText("Paid")
 * })
 */
export const test = base.extend<TraceFixtures>({
  traceOrigins: [[], { option: true, box: true }],
  tracedTest: [
    async ({ traceOrigins: given, baseURL }, use, info) => {
      const runId = process.env[RUN_ID_VARIABLE]
      if (runId === undefined) return use(undefined)
      const origins = traceOrigins(baseURL, ...given)
      const attempt = startAttempt(attemptIds(runId, info.testId, info.retry), () => info.timeout)
      traceNodeRequests(origins)
      setOnlyAttempt(attempt)
      // `--ui` shows what is annotated in the worker, and not what the reporter adds.
      const requests: RecordedRequests = { steps: attempt.steps, omitted: 0 }
      const annotation = { ...traceAnnotation(attempt.traceId, undefined), pagespan: requests }
      info.annotations.push(annotation)
      inspector ??= findInspector(process.env)
      void inspector.then((found) => Object.assign(annotation, traceAnnotation(attempt.traceId, lastingUrl(found))))
      const test = { attempt, origins, baseUrl: baseURL }
      await tracing.setTest(test)
      await use(test)
      await tracing.setTest(undefined)
      setOnlyAttempt(undefined)
      requests.omitted = attempt.omitted
    },
    { auto: true, box: true },
  ],
  browser: [
    async ({ browser }, use) => {
      if (process.env[RUN_ID_VARIABLE] !== undefined) await tracing.setBrowser(browser)
      await use(browser)
    },
    { scope: "worker", box: true, timeout: 0 },
  ],
  context: [
    async ({ context, tracedTest }, use) => {
      if (tracedTest !== undefined) traceApi(context.request, tracedTest)
      await use(context)
      if (tracedTest !== undefined) await leaving.leave(context)
    },
    { scope: "test", box: true },
  ],
  request: [
    async ({ request, tracedTest }, use) => {
      if (tracedTest !== undefined) traceApi(request, tracedTest)
      await use(request)
    },
    { scope: "test", box: true },
  ],
})
