import { rawSpanHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/raw">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return rawSpanHandler(getInspector(), request, traceId, spanId)
}
