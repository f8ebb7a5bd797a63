import { getInspector } from "#otel/inspector/instance.ts"
import { keepRunDoor, listRunsDoor } from "#otel/inspector/run-doors.ts"

export const GET = (request: Request): Promise<Response> => listRunsDoor(getInspector(), request)
export const POST = (request: Request): Promise<Response> => keepRunDoor(getInspector(), request)
