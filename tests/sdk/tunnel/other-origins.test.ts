import { describe, expect, test } from "vitest"
import { OPTIONS, POST } from "#otel/tunnel.ts"
import { recordingSentry } from "./sentry-upstream.ts"
import { envelopeText, post, tunnelRuntime } from "./tunnel-runtime.ts"

const SHOP = "https://static.example"
const EVENT: [string, object] = ["event", { message: "boom" }]

/** The question of a browser before a page of another origin may post with these headers. */
function preflight(origin: string): Request {
  return new Request("http://shop.example/monitoring", {
    method: "OPTIONS",
    headers: {
      host: "shop.example",
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-encoding,content-type,pagespan-drops,pagespan-retry",
    },
  })
}

const accessOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")))

describe("a page whose origin is listed", () => {
  test("may post with the headers of a delivery, without cookies", async () => {
    tunnelRuntime({ PAGESPAN_TUNNEL_ORIGINS: `https://other.example,${SHOP}/` })
    const response = await OPTIONS(preflight(SHOP))
    expect([response.status, response.body, response.headers.get("vary")]).toEqual([204, null, "origin"])
    expect(accessOf(response)).toEqual({
      "access-control-allow-origin": SHOP,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "content-encoding, content-type, pagespan-drops, pagespan-retry",
      "access-control-expose-headers": "retry-after, x-sentry-rate-limits",
      "access-control-max-age": "7200",
    })
  })

  test("sends an envelope, and reads the response", async () => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn, PAGESPAN_TUNNEL_ORIGINS: SHOP })
    const response = await POST(post(envelopeText({ dsn: sentry.dsn }, EVENT), { origin: SHOP }))
    expect([response.status, accessOf(response)["access-control-allow-origin"]]).toEqual([204, SHOP])
    expect(sentry.errors()).toHaveLength(1)
    expect(drops()).toEqual([])
  })

  test("reads why it is refused, and for how long", async () => {
    tunnelRuntime({ PAGESPAN_TUNNEL_ORIGINS: SHOP })
    const answers = await Promise.all(
      Array.from({ length: 600 }, () => POST(post("nonsense", { origin: SHOP, "x-forwarded-for": "203.0.113.7" }))),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 429]))
    for (const answer of answers) expect(accessOf(answer)["access-control-allow-origin"]).toBe(SHOP)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0)
  })
})

describe.each([
  ["that is not listed", "https://evil.example"],
  ["whose scheme is another one", "http://static.example"],
  ["whose port is another one", "https://static.example:8443"],
  ["that ends like a listed one", "https://evil.static.example"],
  ["of a sandboxed frame", "null"],
])("a page of an origin %s", (_, origin) => {
  test("may not post, and reads no response", async () => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn, PAGESPAN_TUNNEL_ORIGINS: SHOP })
    const asked = await OPTIONS(preflight(origin))
    const sent = await POST(post(envelopeText({ dsn: sentry.dsn }, EVENT), { origin }))
    expect([asked.status, sent.status]).toEqual([405, 403])
    expect([accessOf(asked), accessOf(sent)]).toEqual([{}, {}])
    expect(sentry.requests).toEqual([])
    expect(drops()).toEqual(["tunnel foreign_origin/default=1"])
  })
})

test("without listed origins no page of another origin may post, and the page's own may", async () => {
  tunnelRuntime({})
  expect((await OPTIONS(preflight(SHOP))).status).toBe(405)
  const own = await POST(post(envelopeText({}, EVENT), { origin: "http://shop.example" }))
  expect([own.status, accessOf(own)]).toEqual([204, {}])
})
