import { NodeSDK } from "@opentelemetry/sdk-node"
import { describe } from "vitest"
import { testJoinedServer } from "./joined-server.ts"

describe("NodeSDK with a PagespanSpanProcessor", () => {
  testJoinedServer((spanProcessors) => {
    const none = { metricReaders: [], logRecordProcessors: [], instrumentations: [] }
    new NodeSDK({ serviceName: "shop", spanProcessors, ...none }).start()
  })
})
