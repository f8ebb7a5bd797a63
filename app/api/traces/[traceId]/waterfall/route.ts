import { getWaterfall } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/waterfall">,
): Promise<Response> {
  return getWaterfall(getInspector(), request, (await params).traceId)
}
