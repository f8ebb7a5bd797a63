/** A file of another origin, for which this server makes the address. */
export function GET(request: Request) {
  return Response.redirect(new URL(request.url).searchParams.get("to") ?? "/", 302)
}
