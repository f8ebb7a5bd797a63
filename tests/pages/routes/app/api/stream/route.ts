const TICK_MS = 100

/** A response that never ends. */
export function GET(request: Request) {
  const text = new TextEncoder()
  const body = new ReadableStream({
    start(controller) {
      const timer = setInterval(() => controller.enqueue(text.encode("data: tick\n\n")), TICK_MS)
      request.signal.addEventListener("abort", () => clearInterval(timer))
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}
