import { getInspector } from "#otel/inspector/instance.ts"
import { listIssuesDoor } from "#otel/inspector/read-errors.ts"

export const GET = (request: Request): Promise<Response> => listIssuesDoor(getInspector(), request)
