import { registerOTel } from "@vercel/otel"
import { describe } from "vitest"
import { testJoinedServer } from "./joined-server.ts"

describe("registerOTel of @vercel/otel with a PagespanSpanProcessor", () => {
  testJoinedServer((spanProcessors) => registerOTel({ serviceName: "shop", spanProcessors }))
})
