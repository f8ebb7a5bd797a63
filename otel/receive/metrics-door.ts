import type { DoorRequest } from "./door-request.ts"
import { countDataPoints, type OtlpEncoding } from "../wire/otlp/index.ts"
import { type DoorContext, type Handled, otlpDoor } from "./otlp-door.ts"
import { keepNone } from "./keep-none.ts"

/** `POST /v1/metrics`. Metrics are not what Pagespan shows: they are counted and not kept. */
export function metricsDoor(context: DoorContext): (request: DoorRequest) => Promise<Response> {
  return otlpDoor(context, "metrics", (body, encoding) => takeMetrics(context, body, encoding))
}

/** An `ExportMetricsServiceRequest`, whichever way it came. */
export function takeMetrics({ losses }: DoorContext, body: Uint8Array, encoding: OtlpEncoding): Handled {
  return keepNone(losses, countDataPoints(body, encoding), "metric", "Metrics are not kept by this server")
}
