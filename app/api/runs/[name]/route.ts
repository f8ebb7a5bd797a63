import { deleteRun } from "#otel/inspector/api/runs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/runs/[name]">): Promise<Response> =>
  deleteRun(getInspector(), request, (await params).name)
