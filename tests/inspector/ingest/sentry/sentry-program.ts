import type * as Sentry11 from "@sentry/node"

/**
 * A small program with Sentry's SDK, run as a separate process. Its arguments: the DSN or `-`, the value of `spotlight` or
 * `-`, the trace lifecycle, and the SDK's major version. It makes a transaction with a child, an error with a cause, an
 * attachment and a feedback, a check-in, and a log.
 */
const [dsn = "-", spotlight = "-", traceLifecycle = "stream", major = "11"] = process.argv.slice(2)
// The types of the two versions are equal but not assignable to each other.
const sdk = major === "10" ? await import("sentry-node-10") : await import("@sentry/node")
const Sentry = sdk as typeof Sentry11

Sentry.init({
  ...(dsn === "-" ? {} : { dsn }),
  ...(spotlight === "-" ? {} : { spotlight }),
  traceLifecycle: traceLifecycle as "stream" | "static",
  tracesSampleRate: 1,
  environment: "test",
  release: "1.2.3",
  serverName: "program",
  enableLogs: true,
  enableOpenTelemetrySetup: false,
} as Sentry11.NodeOptions)

function pay(): never {
  throw new TypeError("no such cart", { cause: new Error("row 12 is gone") })
}

Sentry.startSpan({ name: "checkout", op: "job" }, () => {
  Sentry.startSpan(
    { name: "SELECT 1", op: "db.query", attributes: { rows: 3, ratio: 0.5, cached: false } },
    () => undefined,
  )
  try {
    pay()
  } catch (error) {
    Sentry.withScope((scope) => {
      const data = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      scope.addAttachment({ filename: "cart.bin", data, contentType: "application/x-cart" })
      const associatedEventId = Sentry.captureException(error, { tags: { area: "checkout" } })
      scope.clearAttachments()
      Sentry.captureFeedback({ message: "It broke", name: "Jo", email: "jo@shop.test", associatedEventId })
    })
  }
  const checkInId = Sentry.captureCheckIn({ monitorSlug: "nightly", status: "in_progress" })
  Sentry.captureCheckIn({ checkInId, monitorSlug: "nightly", status: "ok", duration: 1.5 })
  Sentry.logger.warn("cart is slow", { cart: 12 })
})

await Sentry.close(5_000)
