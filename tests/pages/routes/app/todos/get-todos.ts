import { trace } from "@opentelemetry/api"

/** Work of the app in its own span. */
export function getTodos(): Promise<string[]> {
  return trace.getTracer("todos").startActiveSpan("get.todos", async (span) => {
    await Promise.resolve()
    span.end()
    return ["one", "two"]
  })
}
