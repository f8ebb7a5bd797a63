import { getInspector } from "#otel/inspector/instance.ts"

export const dynamic = "force-dynamic"

export const GET = (request: Request): Response => getInspector().receiver.live(request)
