import { localize } from "./localize"

export const proxy = localize

export const config = {
  // A translation library's own matcher: it doesn't know of the tunnel.
  matcher: "/((?!admin|api|trpc|_next|_vercel|.*\\..*).*)",
}
