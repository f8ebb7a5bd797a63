import { listItems } from "#otel/inspector/api/items.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listItems(getInspector(), request)
