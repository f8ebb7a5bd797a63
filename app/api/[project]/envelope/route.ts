import { getInspector } from "#otel/inspector/instance.ts"

const handler = (request: Request): Promise<Response> => getInspector().receiver.envelope(request)

export { handler as OPTIONS, handler as POST }
