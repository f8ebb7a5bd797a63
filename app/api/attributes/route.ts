import { getInspector } from "#otel/inspector/instance.ts"
import { attributesDoor } from "#otel/inspector/read-api.ts"

export const GET = (request: Request): Promise<Response> => attributesDoor(getInspector(), request)
