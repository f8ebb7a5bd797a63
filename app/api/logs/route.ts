import { listLogs } from "#otel/inspector/api/logs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listLogs(getInspector(), request)
