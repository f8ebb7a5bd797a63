import { createHash } from "node:crypto"
import type { TestStep } from "./test-trace.ts"

/** What the fixture in a worker and the reporter in the main process agree on. */

/** Type of the annotation that shows where the trace of an attempt is. */
const TRACE_ANNOTATION = "trace"

/** An annotation of Playwright. */
interface Annotation {
  readonly type: string
  readonly description?: string | undefined
}

/**
 * The annotation as the fixture makes it. Playwright sends all of its properties from a worker to the reporter, but only type
 * and description to what shows annotations while a test runs, such as `--ui`.
 */
export interface TraceAnnotation extends Annotation {
  description: string
  /** What only the fixture knows. */
  pagespan?: RecordedRequests
}

/** The requests of an attempt, as JSON. */
export interface RecordedRequests {
  readonly steps: readonly TestStep[]
  omitted: number
}

/** The ids of an attempt's root span: a hash of what its worker and the reporter both know. */
export function attemptIds(runId: string, testId: string, retry: number): { traceId: string; spanId: string } {
  const hex = createHash("sha256")
    .update(JSON.stringify([runId, testId, retry]))
    .digest("hex")
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) }
}

/** @param url of the inspector that receives the trace. Without one, the annotation has the trace's id. */
export function traceAnnotation(traceId: string, url: string | undefined): TraceAnnotation {
  return { type: TRACE_ANNOTATION, description: url === undefined ? traceId : `${url}/traces/${traceId}` }
}

/** Whether it is the fixture's, and not one of the test's own. */
export function isTraceAnnotation(annotation: Annotation): annotation is TraceAnnotation {
  return annotation.type === TRACE_ANNOTATION && "pagespan" in annotation
}
