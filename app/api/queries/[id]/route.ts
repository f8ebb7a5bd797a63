import { cancelQuery } from "#otel/inspector/api/queries.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/queries/[id]">): Promise<Response> =>
  cancelQuery(getInspector(), request, (await params).id)
