import { getLogFigures } from "#otel/inspector/api/logs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => getLogFigures(getInspector(), request)
