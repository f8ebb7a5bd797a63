import { getDifferences } from "#otel/inspector/api/differences.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => getDifferences(getInspector(), request)
