import { trace } from "@opentelemetry/api"
import { cacheLife, cacheTag } from "next/cache"

async function readPrice(sku: string): Promise<number> {
  "use cache"
  cacheLife("hours")
  cacheTag("prices")
  return trace.getTracer("app").startActiveSpan("read.price", async (span) => {
    if (sku === "broken") throw new Error("no price")
    await new Promise((done) => setTimeout(done, 20))
    span.end()
    return sku.length
  })
}

export async function getPrice(sku: string): Promise<number> {
  "use cache"
  cacheLife("hours")
  cacheTag("prices")
  return readPrice(sku)
}
