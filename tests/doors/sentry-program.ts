import * as Sentry from "@sentry/node"

/**
 * A small program with Sentry's SDK, run as a process of its own. Its arguments: the DSN or `-`, the value of `spotlight` or
 * `-`, and the trace lifecycle. It makes a transaction with a child, an error with a cause, and a log.
 */
const [dsn = "-", spotlight = "-", traceLifecycle = "stream"] = process.argv.slice(2)

Sentry.init({
  ...(dsn === "-" ? {} : { dsn }),
  ...(spotlight === "-" ? {} : { spotlight }),
  traceLifecycle: traceLifecycle as "stream" | "static",
  tracesSampleRate: 1,
  environment: "test",
  release: "1.2.3",
  serverName: "program",
  enableOpenTelemetrySetup: false,
} as Sentry.NodeOptions)

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
    Sentry.captureException(error, { tags: { area: "checkout" } })
  }
  Sentry.logger.warn("cart is slow", { cart: 12 })
})

await Sentry.close(5_000)
