import { traceHandler } from "#otel/inspector/api/trace.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/traces/[traceId]">): Promise<Response> {
  return traceHandler(getInspector(), request, (await params).traceId)
}
