import { getIssue } from "#otel/inspector/api/errors.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/errors/[issueId]">): Promise<Response> {
  return getIssue(getInspector(), request, (await params).issueId)
}
