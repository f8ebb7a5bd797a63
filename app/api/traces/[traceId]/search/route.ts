import { searchSpansHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/search">,
): Promise<Response> {
  return searchSpansHandler(getInspector(), request, (await params).traceId)
}
