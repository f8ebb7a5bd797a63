import { getTraceFigures } from "#otel/inspector/api/traces.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => getTraceFigures(getInspector(), request)
