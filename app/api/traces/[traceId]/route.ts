import { getTrace } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/traces/[traceId]">): Promise<Response> {
  return getTrace(getInspector(), request, (await params).traceId)
}
