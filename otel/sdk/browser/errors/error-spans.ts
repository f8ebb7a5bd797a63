import type { PageSentry } from "../delivery/sentry-outbox.ts"
import type { RequestTracing } from "../requests/traced-request.ts"

const none = () => {}

/**
 * What takes the errors of a page whose Sentry is off. The active span or the open root has recorded most of them. Any other, such
 * as that of a click after the page load, gets a span of its own without duration, below the root that was last open. A root takes
 * a limited number of them, beside its late requests.
 */
export function errorSpans({ tracer, current, dropped }: RequestTracing): PageSentry {
  return {
    captureTransaction: none,
    captureError({ exception, at: startTime }) {
      if (exception === undefined) return
      const { root } = current
      if (root?.takesLate(false) === false) return dropped("limit_spans")
      const attributes = { "http.route": root?.span.attributes["http.route"] }
      const span = tracer.startSpan("exception", { startTime, attributes }, current.context)
      span.recordException(exception, startTime)
      span.end(startTime)
    },
    reportDrop: none,
    flush: none,
    stop: none,
  }
}
