import { SpanKind } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Sentry from "@sentry/nextjs"
import { httpStatusCode } from "../sentry/http-status-code.ts"

/**
 * What a request asked of other servers, as breadcrumbs of the errors that come after it: what Sentry's own
 * instrumentation of `fetch` leaves, told by the spans that are there anyway.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/breadcrumbs/
 */
export class RequestBreadcrumbs implements SpanProcessor {
  onStart(): void {}

  onEnd({ kind, attributes }: ReadableSpan): void {
    const method = attributes["http.request.method"]
    if (kind !== SpanKind.CLIENT || method === undefined) return
    const status_code = httpStatusCode(attributes)
    const data = { method, url: attributes["url.full"], ...(status_code === undefined ? {} : { status_code }) }
    Sentry.addBreadcrumb({ category: "http", type: "http", level: levelOf(status_code), data })
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}

function levelOf(status = 0): "error" | "warning" | "info" {
  if (status >= 500) return "error"
  return status >= 400 ? "warning" : "info"
}
