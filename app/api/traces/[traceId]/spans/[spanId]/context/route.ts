import { spanContextHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/context">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return spanContextHandler(getInspector(), request, traceId, spanId)
}
