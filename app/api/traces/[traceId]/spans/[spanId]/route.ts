import { spanHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return spanHandler(getInspector(), request, traceId, spanId)
}
