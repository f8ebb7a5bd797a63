import { getGenAi } from "#otel/inspector/api/spans.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/spans/[spanId]/gen-ai">,
): Promise<Response> {
  const { traceId, spanId } = await params
  return getGenAi(getInspector(), request, traceId, spanId)
}
