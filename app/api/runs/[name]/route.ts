import { removeRunHandler } from "#otel/inspector/api/runs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/runs/[name]">): Promise<Response> =>
  removeRunHandler(getInspector(), request, (await params).name)
