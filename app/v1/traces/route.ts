import { getInspector } from "#otel/inspector/instance.ts"

const handler = (request: Request): Promise<Response> => getInspector().receiver.traces(request)

export { handler as OPTIONS, handler as POST }
