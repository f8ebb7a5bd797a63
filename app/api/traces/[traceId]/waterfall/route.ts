import { getInspector } from "#otel/inspector/instance.ts"
import { waterfallDoor } from "#otel/inspector/trace-api.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/waterfall">,
): Promise<Response> {
  return waterfallDoor(getInspector(), request, (await params).traceId)
}
