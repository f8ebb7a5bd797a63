import { getInspector } from "#otel/inspector/instance.ts"
import { rawSpanDoor } from "#otel/inspector/trace-api.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/raw">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return rawSpanDoor(getInspector(), request, traceId, spanId)
}
