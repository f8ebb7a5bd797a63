import { itemHandler } from "#otel/inspector/api/items.ts"
import { getInspector } from "#otel/inspector/instance.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/items/[itemId]">): Promise<Response> {
  return itemHandler(getInspector(), request, (await params).itemId)
}
