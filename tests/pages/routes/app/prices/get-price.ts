import { trace } from "@opentelemetry/api"
import { cacheLife } from "next/cache"

/** A price that is generated again once it is a second old, and served until then. */
export async function getPrice(sku: string): Promise<number> {
  "use cache"
  cacheLife({ stale: 300, revalidate: 1, expire: 3_600 })
  return trace.getTracer("app").startActiveSpan("read.price", async (span) => {
    if (sku === "broken") throw new Error("no price")
    await new Promise((done) => setTimeout(done, 20))
    span.end()
    return sku.length
  })
}
