import { searchSpans } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/search">,
): Promise<Response> {
  return searchSpans(getInspector(), request, (await params).traceId)
}
