import { listRunsHandler, retainRunHandler } from "#otel/inspector/api/runs.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const GET = (request: Request): Promise<Response> => listRunsHandler(getInspector(), request)
export const POST = (request: Request): Promise<Response> => retainRunHandler(getInspector(), request)
