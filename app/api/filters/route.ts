import { listFilters, saveFilter } from "#otel/inspector/api/saved-filters.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listFilters(getInspector(), request)
export const POST = (request: Request): Promise<Response> => saveFilter(getInspector(), request)
