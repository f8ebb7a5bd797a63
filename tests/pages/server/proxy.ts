import { type NextRequest, NextResponse } from "next/server"

/** Fails on demand, so that an error before any route can be seen. */
export function proxy(request: NextRequest) {
  if (request.nextUrl.searchParams.has("fail-in-proxy")) throw new Error("thrown in the proxy")
  return NextResponse.next()
}

export const config = { matcher: "/behind/:path*" }
