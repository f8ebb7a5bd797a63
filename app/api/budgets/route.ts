import { judgeBudgets } from "#otel/inspector/api/budgets.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export const POST = (request: Request): Promise<Response> => judgeBudgets(getInspector(), request)
