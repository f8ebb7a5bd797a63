import { getSession } from "#otel/inspector/api/sessions.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/sessions/[id]">): Promise<Response> {
  return getSession(getInspector(), request, (await params).id)
}
