import { getItem } from "#otel/inspector/api/items.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/items/[itemId]">): Promise<Response> {
  return getItem(getInspector(), request, (await params).itemId)
}
