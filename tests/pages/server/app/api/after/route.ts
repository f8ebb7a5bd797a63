import { trace } from "@opentelemetry/api"
import { after } from "next/server"

/** Works on after the response, in a span that begins and ends after it. */
export function GET() {
  after(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    await trace.getTracer("app").startActiveSpan("work after the response", async (span) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      span.end()
    })
  })
  return Response.json({})
}
