import { currentRoute } from "pagespan/route"

export async function GET(): Promise<Response> {
  await Promise.resolve()
  return Response.json(currentRoute() ?? null)
}
