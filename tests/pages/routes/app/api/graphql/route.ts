/** Responds after the requested delay, with the request's `traceparent`. */
export async function POST(request: Request) {
  const { delayMs = 0 } = (await request.json()) as { delayMs?: number }
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  return Response.json({ traceparent: request.headers.get("traceparent") })
}
