import { getInspector } from "#otel/inspector/instance.ts"
import { spanAroundDoor } from "#otel/inspector/trace-api.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/around">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return spanAroundDoor(getInspector(), request, traceId, spanId)
}
