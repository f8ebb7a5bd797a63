import { listTraceLogs } from "#otel/inspector/api/logs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/traces/[traceId]/logs">): Promise<Response> {
  return listTraceLogs(getInspector(), request, (await params).traceId)
}
