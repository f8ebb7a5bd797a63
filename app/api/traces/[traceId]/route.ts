import { getInspector } from "#otel/inspector/instance.ts"
import { traceDoor } from "#otel/inspector/trace-api.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/traces/[traceId]">): Promise<Response> {
  return traceDoor(getInspector(), request, (await params).traceId)
}
