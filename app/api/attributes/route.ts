import { listAttributes } from "#otel/inspector/api/attributes.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listAttributes(getInspector(), request)
