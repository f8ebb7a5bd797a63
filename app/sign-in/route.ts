import { getInspector } from "#otel/inspector/instance.ts"

export const dynamic = "force-dynamic"

const handler = (request: Request): Promise<Response> => getInspector().receiver.signIn.handler(request)

export { handler as GET, handler as POST }
