import { createRun, listRuns } from "#otel/inspector/api/runs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listRuns(getInspector(), request)
export const POST = (request: Request): Promise<Response> => createRun(getInspector(), request)
