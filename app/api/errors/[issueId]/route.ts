import { getInspector } from "#otel/inspector/instance.ts"
import { issueDoor } from "#otel/inspector/read-errors.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/errors/[issueId]">): Promise<Response> {
  return issueDoor(getInspector(), request, (await params).issueId)
}
