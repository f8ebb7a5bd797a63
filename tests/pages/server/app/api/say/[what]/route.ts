import * as Sentry from "@sentry/nextjs"

type RouteContext = { params: Promise<{ what: string }> }

/** Captures an exception or a message by hand, after a while. */
export async function GET(request: Request, { params }: RouteContext) {
  const { what } = await params
  const { searchParams } = new URL(request.url)
  const who = searchParams.get("who")
  if (who !== null) Sentry.setTag("who", who)
  const from = searchParams.get("from")
  if (from !== null) await (await fetch(from, { cache: "no-store" })).text()
  await new Promise((resolve) => setTimeout(resolve, 50))
  if (what === "exception") Sentry.captureException(new Error("captured by hand"))
  else Sentry.captureMessage(`said of ${who}`)
  return Response.json({})
}

export async function POST() {
  return Response.json({}, { status: 400 })
}

export async function PATCH() {
  return Response.json({}, { status: 401 })
}

export async function PUT() {
  throw new Error("thrown on PUT")
}
