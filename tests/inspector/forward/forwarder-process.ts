import { createForwarder } from "#otel/inspector/forward/forwarder.ts"
import { spans } from "./forwarder-under-test.ts"

/**
 * Run as a process of its own, to be killed: offers deliveries to the collector in its first argument, each of one span
 * that is named by its number, as fast as the disk takes them, and says so once. The second argument is the queue's directory,
 * the third the first number.
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
