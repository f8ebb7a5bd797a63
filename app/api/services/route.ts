import { listServices } from "#otel/inspector/api/services.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listServices(getInspector(), request)
