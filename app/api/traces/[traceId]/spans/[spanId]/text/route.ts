import { subtreeHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/text">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return subtreeHandler(getInspector(), request, traceId, spanId)
}
