import { listErrors } from "#otel/inspector/api/errors.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listErrors(getInspector(), request)
