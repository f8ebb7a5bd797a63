import { waterfallHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/waterfall">,
): Promise<Response> {
  return waterfallHandler(getInspector(), request, (await params).traceId)
}
