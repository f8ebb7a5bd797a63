// Reports page loads of /cart, each with its document's request, queries, a script and an LCP, and nothing else.
// Arguments: their number, the duration of the first in ms (each next one takes 1 ms longer), and queries of each.
const [count, ms, queries] = process.argv.slice(2).map(Number)
const [, run] = /pagespan\.run=([^,]+)/.exec(process.env.OTEL_RESOURCE_ATTRIBUTES) ?? []
const hex = (length) =>
  crypto.getRandomValues(new Uint8Array(length)).reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "")
const attributesOf = (object) =>
  Object.entries(object).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { doubleValue: value } : { stringValue: value },
  }))
const start = Date.now() - 60_000

function visit(index) {
  const traceId = hex(16)
  const [document, page] = [hex(8), hex(8)]
  const span = (name, kind, parentSpanId, length, attributes = {}, spanId = hex(8)) => ({
    traceId,
    spanId,
    ...(parentSpanId && { parentSpanId }),
    name,
    kind,
    startTimeUnixNano: `${start}000000`,
    endTimeUnixNano: `${start + length}000000`,
    attributes: attributesOf(attributes),
  })
  const duration = ms + index
  return {
    server: [
      span("GET /cart", 2, undefined, 20, { "http.route": "/cart" }, document),
      ...Array.from({ length: queries }, () => span("SELECT items", 3, document, 2)),
    ],
    page: [
      span(
        "/cart",
        1,
        document,
        duration,
        { "sentry.op": "pageload", "http.route": "/cart", "browser.web_vital.lcp.value": duration / 2 },
        page,
      ),
      span("/app.js", 1, page, 5, { "sentry.op": "resource.script", "http.response.size": "1500" }),
    ],
  }
}

const visits = Array.from({ length: count }, (_, index) => visit(index))
const resourceSpans = ["server", "page"].map((side) => ({
  resource: { attributes: attributesOf({ "service.name": `shop-${side}`, "pagespan.run": run }) },
  scopeSpans: [{ spans: visits.flatMap((each) => each[side]) }],
}))
const answer = await fetch(`${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`, {
  method: "POST",
  body: JSON.stringify({ resourceSpans }),
  headers: { "content-type": "application/json" },
})
console.log(`reported ${count} visits: ${answer.status}`)
