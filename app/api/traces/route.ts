import { getInspector } from "#otel/inspector/instance.ts"
import { listTracesDoor } from "#otel/inspector/read-api.ts"

export const GET = (request: Request): Promise<Response> => listTracesDoor(getInspector(), request)
