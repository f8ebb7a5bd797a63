import { getInspector } from "#otel/inspector/instance.ts"

export const dynamic = "force-dynamic"

const door = (request: Request): Promise<Response> => getInspector().receiver.signIn.door(request)

export { door as GET, door as POST }
