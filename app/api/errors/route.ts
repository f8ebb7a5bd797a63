import { listIssuesHandler } from "#otel/inspector/api/errors.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listIssuesHandler(getInspector(), request)
