import { getInspector } from "#otel/inspector/instance.ts"
import { itemDoor } from "#otel/inspector/item-api.ts"

export async function GET(request: Request, { params }: RouteContext<"/api/items/[itemId]">): Promise<Response> {
  return itemDoor(getInspector(), request, (await params).itemId)
}
