import { type NextRequest, NextResponse } from "next/server"

/** Requests another server, and fails on request, to show what happens before any route. */
export async function proxy(request: NextRequest) {
  const from = request.nextUrl.searchParams.get("from")
  if (from !== null) await fetch(from)
  if (request.nextUrl.searchParams.has("fail-in-proxy")) throw new Error("thrown in the proxy")
  return NextResponse.next()
}

export const config = { matcher: "/behind/:path*" }
