import { listRoutes } from "#otel/inspector/api/routes.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listRoutes(getInspector(), request)
