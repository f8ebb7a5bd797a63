import { cancelQueryHandler } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/queries/[id]">): Promise<Response> =>
  cancelQueryHandler(getInspector(), request, (await params).id)
