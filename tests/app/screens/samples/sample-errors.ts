import { hexId } from "./hex-id.ts"

/** Browser and server errors of the visits in `sample-records.ts`, as Sentry SDKs send them. */

interface SampleError {
  readonly id: string
  /** The visit in which it happened. */
  readonly visit: number
  readonly event: Record<string, unknown>
}

const frame = (name: string, file: string, line: number, inApp: boolean) => ({
  function: name,
  filename: file,
  lineno: line,
  colno: 7,
  in_app: inApp,
  ...(inApp && {
    pre_context: ["export function pay(cart) {", "  const total = sum(cart)"],
    context_line: `  return cart.card.charge(total) // ${"what a shop asks of the bank that its customer has ".repeat(6)}`,
    post_context: ["}"],
  }),
})

export function sampleErrors(now: number): SampleError[] {
  const at = (visit: number) => (now - ((visit + 1) * 3_600_000) / 122 + 40) / 1_000
  const chain = {
    values: [
      {
        type: "ConnectionError",
        value: "card service refused",
        stacktrace: { frames: [frame("connect", "node:net", 1, false), frame("charge", "src/card.ts", 40, true)] },
      },
      {
        type: "TypeError",
        value: "Cannot read properties of undefined (reading 'charge')",
        mechanism: { type: "generic", handled: false },
        stacktrace: {
          frames: [
            frame("dispatch", "node_modules/react-dom/client.js", 9, false),
            frame("run", "node_modules/react-dom/client.js", 4, false),
            frame("pay", "src/checkout/pay.ts", 12, true),
          ],
        },
      },
    ],
  }
  const errors = [3, 7, 11, 19, 43].map((visit, index): SampleError => ({
    id: hexId(`error ${visit}`, 32),
    visit,
    event: {
      timestamp: at(visit),
      level: "error",
      platform: "javascript",
      transaction: "/checkout",
      environment: "production",
      release: `shop@1.${index}`,
      exception: chain,
      user: { id: `u${index % 3}` },
      tags: { browser: "Firefox 140", plan: "pro" },
      request: { url: "http://shop.example/checkout", headers: { "User-Agent": "Mozilla/5.0" } },
      contexts: { browser: { name: "Firefox", version: "140" } },
      breadcrumbs: [
        { timestamp: at(visit) - 3, category: "navigation", data: { from: "/", to: "/checkout" } },
        { timestamp: at(visit) - 1, category: "ui.click", message: "button#pay", level: "info" },
      ],
    },
  }))
  const server: SampleError = {
    id: hexId("server error", 32),
    visit: 16,
    event: {
      timestamp: at(16),
      level: "error",
      platform: "node",
      transaction: "GET /",
      environment: "production",
      release: "shop@1.4",
      server_name: "web-1",
      exception: {
        values: [
          {
            type: "QueryError",
            value: "relation items does not exist",
            mechanism: { type: "auto.function.nextjs.on_request_error", handled: false },
            stacktrace: { frames: [frame("loadItems", "src/items.ts", 88, true)] },
          },
        ],
      },
      contexts: { runtime: { name: "node", version: "v20.20.2" } },
      extra: { digest: "3141592653" },
    },
  }
  const echo: SampleError = {
    id: hexId("echo error", 32),
    visit: 16,
    event: {
      timestamp: at(16) + 0.2,
      level: "error",
      platform: "javascript",
      transaction: "/",
      environment: "production",
      exception: {
        values: [
          {
            type: "Error",
            value:
              "An error occurred in the Server Components render. The specific message is omitted in production builds",
            mechanism: { type: "react.error_boundary", handled: true },
          },
        ],
      },
      extra: { digest: "3141592653" },
    },
  }
  const warning: SampleError = {
    id: hexId("warning", 32),
    visit: 30,
    event: { timestamp: at(30), level: "warning", message: "cart is older than a day", transaction: "/checkout" },
  }
  return [...errors, server, echo, warning]
}

/** A Sentry envelope with one event on the root span of the page, or on the server span. */
export function sampleEnvelope({ id, visit, event }: SampleError): string {
  const trace = `visit ${visit}`
  const span = event["platform"] === "node" ? `${trace} request` : `${trace} root`
  const contexts = {
    ...(event["contexts"] as object | undefined),
    trace: { trace_id: hexId(trace, 32), span_id: hexId(span, 16) },
  }
  return [
    JSON.stringify({ event_id: id }),
    JSON.stringify({ type: "event" }),
    JSON.stringify({ ...event, event_id: id, contexts }),
  ].join("\n")
}
