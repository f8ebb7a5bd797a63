import { getInspector } from "#otel/inspector/instance.ts"

const door = (request: Request): Promise<Response> => getInspector().receiver.store(request)

export { door as OPTIONS, door as POST }
