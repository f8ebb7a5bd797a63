import { getRawSpan } from "#otel/inspector/api/spans.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/raw">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return getRawSpan(getInspector(), request, traceId, spanId)
}
