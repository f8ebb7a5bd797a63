import { getInspector } from "#otel/inspector/instance.ts"
import { clearDoor, listTracesDoor } from "#otel/inspector/read-api.ts"

export const GET = (request: Request): Promise<Response> => listTracesDoor(getInspector(), request)

export const DELETE = (request: Request): Promise<Response> => clearDoor(getInspector(), request)
