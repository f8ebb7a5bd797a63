import { getSpanContext } from "#otel/inspector/api/spans.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/context">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return getSpanContext(getInspector(), request, traceId, spanId)
}
