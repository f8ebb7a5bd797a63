import type { NextRequest } from "next/server"

export const config = { runtime: "edge" }

/** Fails on request, in the edge runtime. */
export default function handler(request: NextRequest) {
  const id = request.nextUrl.searchParams.get("id")
  if (id === "broken") throw new Error("thrown by an API route at the edge")
  return Response.json({ id })
}
