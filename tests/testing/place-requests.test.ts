import { expect, test } from "vitest"
import { placeRequests, type Step } from "#otel/testing/place-requests.ts"
import type { TestStep } from "#otel/testing/test-trace.ts"

/** A step as Playwright reports it: its times have no fraction. */
function step(name: string, startMs: number, endMs: number, ...steps: Step[]): Step {
  return { name, startMs, endMs, steps }
}

function apiRequest(name: string, startMs: number, endMs: number): TestStep {
  return { name, startMs, endMs, isRequest: true, isApiRequest: true }
}

function pageRequest(name: string, startMs: number, endMs: number): TestStep {
  return { name, startMs, endMs, isRequest: true }
}

/** Each request with the names of the steps above it. */
function placed(steps: Step[], ...requests: TestStep[]): string[] {
  const found: string[] = []
  const visit = (level: readonly Step[], above: string): void => {
    for (const { name, isRequest, steps: below } of level)
      if (isRequest) found.push(`${above}${name}`)
      else visit(below, `${above}${name} > `)
  }
  visit(placeRequests(steps, requests), "")
  return found
}

test("a request of the `request` fixture is below its call, however much later Playwright begins that step", () => {
  const nested = step("pays", 90, 900, step("Click", 91, 95), step("POST", 350, 900))
  expect(placed([nested, step("Close", 900, 905)], apiRequest("POST /pay", 100.25, 899.5))).toEqual([
    "pays > POST > POST /pay",
  ])
})

test("of calls that begin in one millisecond each has its own request", () => {
  const calls = [step("GET", 100, 130), step("GET", 100, 140)]
  expect(placed(calls, apiRequest("GET /a", 100.2, 129.5), apiRequest("GET /b", 100.6, 139.5))).toEqual([
    "GET > GET /a",
    "GET > GET /b",
  ])
  expect(calls.map(({ steps }) => steps.map(({ name }) => name))).toEqual([["GET /a"], ["GET /b"]])
})

test("a request of the page is below the step that ran, not below a call that begins meanwhile", () => {
  const steps = [step("Navigate", 10, 60), step("GET", 65, 80)]
  expect(placed(steps, pageRequest("GET /slow", 55.5, 90), apiRequest("GET /health", 64.9, 79))).toEqual([
    "Navigate > GET /slow",
    "GET > GET /health",
  ])
})

test("a request outside of all steps is below the test, and one never below another", () => {
  expect(placed([step("GET", 10, 20)], pageRequest("GET /a", 30.5, 50), pageRequest("GET /b", 31.5, 40))).toEqual([
    "GET /a",
    "GET /b",
  ])
})
