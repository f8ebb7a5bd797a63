import { getInspector } from "#otel/inspector/instance.ts"
import { listRoutesDoor } from "#otel/inspector/read-routes.ts"

export const GET = (request: Request): Promise<Response> => listRoutesDoor(getInspector(), request)
