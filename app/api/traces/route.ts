import { clearHandler, listTracesHandler } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listTracesHandler(getInspector(), request)

export const DELETE = (request: Request): Promise<Response> => clearHandler(getInspector(), request)
