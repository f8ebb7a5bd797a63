import { getInspector } from "#otel/inspector/instance.ts"
import { listItemsDoor } from "#otel/inspector/item-api.ts"

export const GET = (request: Request): Promise<Response> => listItemsDoor(getInspector(), request)
