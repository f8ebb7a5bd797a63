import { type NextRequest, NextResponse } from "next/server"

/** The former name of `proxy.ts`. It runs in the edge runtime. */
export function middleware(request: NextRequest) {
  if (request.nextUrl.searchParams.has("fail")) throw new Error("thrown in the middleware")
  return NextResponse.next({ headers: { "x-middleware": "edge" } })
}

export const config = { matcher: [{ source: "/items/:path*", has: [{ type: "query", key: "edge" }] }] }
