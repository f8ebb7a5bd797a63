import { createForwarder } from "#otel/inspector/forward/forwarder.ts"
import { spans } from "./forwarder-under-test.ts"

/**
 * A test runs this program and kills it. It offers deliveries for the collector in its first argument, one every millisecond, and
 * prints a line when it starts. Each delivery has one span, whose name contains its number. The second argument is the queue's
 * directory, the third the first number.
 */
const [endpoint = "", directory = "", first = "0"] = process.argv.slice(2)
const forwarder = createForwarder({
  otlp: [endpoint],
  sentry: undefined,
  allowedAddresses: ["127.0.0.1"],
  directory,
  recordDrop: (reason, category, count) => console.error(`${reason}/${category}=${count}`),
})

for (let number = Number(first); ; number++) {
  forwarder.offer({ spans: spans(1).map((span) => ({ ...span, name: `span ${number}` })) })
  if (number === Number(first)) console.log("offering")
  await new Promise((resolve) => setTimeout(resolve, 1))
}
