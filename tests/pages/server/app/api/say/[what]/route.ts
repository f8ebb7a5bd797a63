import * as Sentry from "@sentry/nextjs"

type Asked = { params: Promise<{ what: string }> }

/** Tells Sentry by hand, after something that takes its time. */
export async function GET(request: Request, { params }: Asked) {
  const { what } = await params
  const { searchParams } = new URL(request.url)
  const who = searchParams.get("who")
  if (who !== null) Sentry.setTag("who", who)
  const from = searchParams.get("from")
  if (from !== null) await (await fetch(from, { cache: "no-store" })).text()
  await new Promise((resolve) => setTimeout(resolve, 50))
  if (what === "exception") Sentry.captureException(new Error("told by hand"))
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
