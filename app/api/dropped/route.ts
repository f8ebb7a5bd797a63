import { listDropsHandler } from "#otel/inspector/api/drops.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listDropsHandler(getInspector(), request)
