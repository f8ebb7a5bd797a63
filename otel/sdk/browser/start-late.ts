import { propagation } from "@opentelemetry/api"
import type { Delivery } from "./delivery/delivery.ts"
import { LateDelivery } from "./delivery/late-delivery.ts"
import type { PagePropagator } from "./propagator.ts"
import { Rhythms } from "./requests/polling.ts"
import type { RequestTracing } from "./requests/traced-request.ts"
import { LongFrames } from "./timings/long-frames.ts"
import type { PageTimings } from "./timings/page-timings.ts"
import { watchTimings } from "./timings/watch-timings.ts"
import { type VitalsOptions, watchVitals } from "./timings/watch-vitals.ts"

interface LateOptions extends VitalsOptions {
  readonly delivery: Delivery
  readonly propagator: PagePropagator
  readonly timings: PageTimings
  readonly requests: RequestTracing
}

/**
 * What a page can do without until it is idle: the greater part of delivery, web vitals and long animation frames, of
 * which the browser tells those from before as well, what recognises polling, and OpenTelemetry's propagation interface
 * for the app's own code. The tracer writes its headers without that interface, which brings all of baggage with it.
 */
export function startLate({ delivery, propagator, timings, requests, ...vitals }: LateOptions): void {
  const { tracer, current, signal } = vitals
  const later = new LateDelivery(delivery)
  delivery.handOver(later)
  // Without Sentry the rest goes on: it is not worth an error in the page.
  later.open().catch(() => undefined)
  propagation.setGlobalPropagator(propagator)
  signal.addEventListener("abort", () => propagation.disable())
  requests.rhythms = new Rhythms()
  const frames = new LongFrames()
  timings.add((root, endedAt) => frames.record(tracer, current, root, endedAt))
  watchTimings("long-animation-frame", (entry) => frames.take(entry), signal)
  watchVitals(vitals)
}
