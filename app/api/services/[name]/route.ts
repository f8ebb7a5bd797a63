import { getService } from "#otel/inspector/api/services.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/services/[name]">): Promise<Response> {
  return getService(getInspector(), request, (await params).name)
}
