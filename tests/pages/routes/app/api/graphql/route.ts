/** Answers as late as the query asks for, and says whose request it was. */
export async function POST(request: Request) {
  const { delayMs = 0 } = (await request.json()) as { delayMs?: number }
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  return Response.json({ traceparent: request.headers.get("traceparent") })
}
