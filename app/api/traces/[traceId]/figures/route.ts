import { getSpanFigures } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(
  request: Request,
  { params }: RouteContext<"/api/traces/[traceId]/figures">,
): Promise<Response> {
  return getSpanFigures(getInspector(), request, (await params).traceId)
}
