import { getInspector } from "#otel/inspector/instance.ts"
import { spanDoor } from "#otel/inspector/trace-api.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return spanDoor(getInspector(), request, traceId, spanId)
}
