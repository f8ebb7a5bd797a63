import { listDropped } from "#otel/inspector/api/dropped.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listDropped(getInspector(), request)
