import { type NextRequest, NextResponse } from "next/server"

/** Asks another server and fails on demand, so that what happens before any route can be seen. */
export async function proxy(request: NextRequest) {
  const from = request.nextUrl.searchParams.get("from")
  if (from !== null) await fetch(from)
  if (request.nextUrl.searchParams.has("fail-in-proxy")) throw new Error("thrown in the proxy")
  return NextResponse.next()
}

export const config = { matcher: "/behind/:path*" }
