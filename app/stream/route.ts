import { getInspector } from "#otel/inspector/instance.ts"

export const dynamic = "force-dynamic"

const handler = (request: Request): Promise<Response> | Response => getInspector().receiver.stream(request)

export { handler as GET, handler as OPTIONS, handler as POST }
