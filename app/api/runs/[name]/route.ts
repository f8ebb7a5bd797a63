import { getInspector } from "#otel/inspector/instance.ts"
import { removeRunDoor } from "#otel/inspector/run-doors.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/runs/[name]">): Promise<Response> =>
  removeRunDoor(getInspector(), request, (await params).name)
