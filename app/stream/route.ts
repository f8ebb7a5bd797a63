import { getInspector } from "#otel/inspector/instance.ts"

export const dynamic = "force-dynamic"

const door = (request: Request): Promise<Response> | Response => getInspector().receiver.stream(request)

export { door as GET, door as OPTIONS, door as POST }
