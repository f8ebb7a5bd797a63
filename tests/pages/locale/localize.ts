import { type NextRequest, NextResponse } from "next/server"

const LOCALES = new Set(["en", "de", "fr"])

/** As translation libraries do it: a locale in front of every path, and translated paths. */
export function localize(request: NextRequest): NextResponse {
  const { pathname } = request.nextUrl
  const [, locale = ""] = pathname.split("/")
  const to = (path: string) => Object.assign(request.nextUrl.clone(), { pathname: path })
  // Where the address leaves out the default locale, a proxy rewrites instead.
  if (pathname === "/monitoring" && request.cookies.has("rewrite")) return NextResponse.rewrite(to(`/en${pathname}`))
  if (pathname === "/monitoring" && request.cookies.has("page")) return NextResponse.rewrite(to(`/en/news${pathname}`))
  if (!LOCALES.has(locale)) return NextResponse.redirect(to(`/en${pathname}`))
  // What the router shows has a secret that the address does not name.
  if (pathname.startsWith(`/${locale}/neu/`)) return NextResponse.rewrite(to(pathname.replace("/neu/", "/reset/")))
  if (pathname.endsWith("/pfadnamen")) return NextResponse.rewrite(to(`/${locale}/pathnames`))
  return NextResponse.next()
}
