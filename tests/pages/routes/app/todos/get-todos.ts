import { trace } from "@opentelemetry/api"

/** An app's own work, in a span of its own. */
export function getTodos(): Promise<string[]> {
  return trace.getTracer("todos").startActiveSpan("get.todos", async (span) => {
    await Promise.resolve()
    span.end()
    return ["one", "two"]
  })
}
