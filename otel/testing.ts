/**
 * Assertions on traces, for tests of any framework: `await expectTrace({ route: "/checkout" }).toHaveNoErrors()`.
 *
 * @module
 */
export { expectTrace, getByRoute, TraceAssertionError, type WaitOptions } from "./testing/expect-trace.ts"
export type { FoundSpan, FoundTrace } from "./testing/found-trace.ts"
export type { TraceFilter } from "./testing/trace-filter.ts"
