import { deleteFilter } from "#otel/inspector/api/saved-filters.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const DELETE = async (request: Request, { params }: RouteContext<"/api/filters/[id]">): Promise<Response> =>
  deleteFilter(getInspector(), request, (await params).id)
