import { getInspector } from "#otel/inspector/instance.ts"
import { subtreeDoor } from "#otel/inspector/trace-api.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/text">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return subtreeDoor(getInspector(), request, traceId, spanId)
}
