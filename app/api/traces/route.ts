import { deleteTraces, listTraces } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listTraces(getInspector(), request)

export const DELETE = (request: Request): Promise<Response> => deleteTraces(getInspector(), request)
