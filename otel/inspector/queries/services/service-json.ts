import { callsOf, type ParsedServiceQuery, sortServices } from "./service-query.ts"
import type { ServiceDetail, ServiceList, ServiceTrace } from "./service-reader.ts"

/** Services as the read API answers them. Durations are in milliseconds, 64-bit numbers are strings. */

export type ServicesJson = ReturnType<typeof servicesToJson>
export type ServiceJson = NonNullable<ReturnType<typeof serviceToJson>>

export function servicesToJson(list: ServiceList, query: ParsedServiceQuery) {
  const { services, calls, total, countedFrom } = list
  return {
    services: sortServices(services, query.sort ?? "busy").map((one) => ({
      ...one,
      callers: callsOf({ calls }, one.service).callers.map(({ caller }) => caller),
      callees: callsOf({ calls }, one.service).callees.map(({ callee }) => callee),
    })),
    calls,
    total,
    next: null,
    ...countedOf(query, countedFrom),
  }
}

/** `undefined` for a service without an entry in the window. */
export function serviceToJson(name: string, list: ServiceList, detail: ServiceDetail, query: ParsedServiceQuery) {
  const figures = list.services.find(({ service }) => service === name)
  if (figures === undefined) return undefined
  return {
    ...figures,
    ...callsOf(list, name),
    operations: detail.operations,
    trend: detail.trend,
    slowest: detail.slowest.map(traceToJson),
    failing: detail.failing.map(traceToJson),
    ...countedOf(query, list.countedFrom),
  }
}

/** The time that was counted and its steps, and what was ignored. */
function countedOf({ range, steps, notices }: ParsedServiceQuery, countedFrom: bigint) {
  return {
    countedFromUnixNano: String(countedFrom),
    untilUnixNano: String(range.until),
    steps: { fromUnixNano: String(steps.from), stepMs: steps.stepMs, count: steps.count },
    ...(notices.length > 0 && { notices }),
  }
}

function traceToJson({ startTime, value, ...trace }: ServiceTrace) {
  return { ...trace, startTimeUnixNano: String(startTime), durationMs: value }
}
