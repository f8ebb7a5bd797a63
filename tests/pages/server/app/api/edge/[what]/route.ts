export const runtime = "edge"

type EdgeContext = { params: Promise<{ what: string }> }

/** Fails on request, in the edge runtime. */
export async function GET(_: Request, { params }: EdgeContext) {
  if ((await params).what === "fail") throw new Error("thrown at the edge")
  return Response.json({})
}

export async function PATCH() {
  return Response.json({}, { status: 401 })
}
