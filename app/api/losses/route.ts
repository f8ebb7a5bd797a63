import { getInspector } from "#otel/inspector/instance.ts"
import { listLossesDoor } from "#otel/inspector/read-losses.ts"

export const GET = (request: Request): Promise<Response> => listLossesDoor(getInspector(), request)
