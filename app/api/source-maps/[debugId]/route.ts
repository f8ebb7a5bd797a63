import { uploadSourceMap } from "#otel/inspector/api/source-maps.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const POST = async (
  request: Request,
  { params }: RouteContext<"/api/source-maps/[debugId]">,
): Promise<Response> => uploadSourceMap(getInspector(), request, (await params).debugId)
