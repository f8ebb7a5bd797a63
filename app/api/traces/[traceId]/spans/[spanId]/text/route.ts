import { getSubtreeText } from "#otel/inspector/api/spans.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/text">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return getSubtreeText(getInspector(), request, traceId, spanId)
}
