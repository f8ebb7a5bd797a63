import { getFindings } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/findings">,
): Promise<Response> {
  return getFindings(getInspector(), request, (await params).traceId)
}
