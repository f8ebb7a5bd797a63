import { getInspector } from "#otel/inspector/instance.ts"
import { searchSpansDoor } from "#otel/inspector/trace-api.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/search">,
): Promise<Response> {
  return searchSpansDoor(getInspector(), request, (await params).traceId)
}
