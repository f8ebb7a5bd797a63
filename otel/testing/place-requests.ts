import type { TestStep } from "./test-trace.ts"

/** A step of Playwright, below which requests can be. */
export type Step = TestStep & { readonly steps: Step[] }

/**
 * Puts each request below the step that sent it: one of an `APIRequestContext` below the step of that call, any other below the
 * innermost step that ran when it was sent.
 *
 * @param steps of one attempt, in the order of their start. They are changed.
 * @param requests of the same attempt, in the order of their start.
 */
export function placeRequests(steps: Step[], requests: readonly TestStep[]): Step[] {
  for (const request of requests) {
    let inner = steps
    let { startMs } = request
    for (let around = stepOf(inner, request); around !== undefined; around = stepOf(inner, request)) {
      inner = around.steps
      startMs = Math.max(startMs, around.startMs)
    }
    inner.push({ ...request, startMs, steps: [] })
  }
  return steps
}

/** Nothing runs below a request. */
function stepOf(steps: readonly Step[], request: TestStep): Step | undefined {
  const open = steps.filter(({ isRequest, endMs = Infinity }) => !isRequest && request.startMs <= endMs)
  const call = request.isApiRequest ? open.find((step) => isCallOf(step, request)) : undefined
  return call ?? open.findLast((step) => step.startMs <= request.startMs)
}

/**
 * Whether the step is the call that sent the request. Playwright begins the step after the request was recorded, on a busy machine
 * much later, and its times have no fraction. Each call sends one request.
 */
function isCallOf(step: Step, { name, startMs, endMs = Infinity }: TestStep): boolean {
  const beganMeanwhile = step.startMs >= Math.floor(startMs) && step.startMs <= endMs
  return beganMeanwhile && name.startsWith(`${step.name} `) && !step.steps.some(({ isRequest }) => isRequest)
}
