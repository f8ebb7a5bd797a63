import { compare } from "#otel/inspector/api/compare.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => compare(getInspector(), request)
