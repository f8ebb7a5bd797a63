import { getInspector } from "#otel/inspector/instance.ts"
import { stopReadingDoor } from "#otel/inspector/read-api.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/readings/[id]">): Promise<Response> =>
  stopReadingDoor(getInspector(), request, (await params).id)
