import { hexId } from "./hex-id.ts"

/** Text that is harmful where it is interpreted: XSS vectors, terminal escapes and Unicode controls. */
export const HOSTILE: readonly string[] = [
  "<script>globalThis.pwned = true</script>",
  "<img src=x onerror=globalThis.pwned=true>",
  "\"'><svg/onload=globalThis.pwned=true>",
  "javascript:globalThis.pwned=true",
  "JAVASCRIPT:alert(1)//https://evil.test",
  "data:text/html,<script>alert(1)</script>",
  "</title></style><style>*{display:none}</style>",
  "<iframe srcdoc='<script>parent.pwned=true</script>'></iframe>",
  "{{constructor.constructor('pwned=true')()}}",
  "\u001B[31mred\u001B[0m \u0007",
  "__proto__",
  "https://evil.test/\u202Egnp.exe",
  "a\u200Bb\u2028c\uFEFFd",
  '=HYPERLINK("http://evil.test")',
  "\uD800 half a character",
  "../../..//%2e%2e/?x#y",
  `${"x".repeat(60_000)} long`,
]

/** Each text in every field and key of an error, as the route of a page load, and in a refused request. */
export async function hostileRecords(url: string): Promise<void> {
  const now = Date.now()
  for (const [index, text] of HOSTILE.entries()) {
    const bag = { [text]: text, nested: { [text]: [text, { [text]: text }] } }
    const frame = {
      function: text,
      module: text,
      filename: text,
      lineno: 3,
      in_app: true,
      pre_context: [text],
      context_line: text,
      post_context: [text],
    }
    const event = {
      event_id: hexId(`hostile ${index}`, 32),
      timestamp: now / 1_000,
      level: "error",
      platform: text,
      transaction: text,
      release: text,
      environment: text,
      server_name: text,
      fingerprint: [`hostile ${index}`],
      exception: {
        values: [
          {
            type: text,
            value: `hostile ${index} ${text}`,
            mechanism: { type: text, handled: false },
            stacktrace: { frames: [frame] },
          },
        ],
      },
      user: { id: text, email: text },
      tags: { [text.slice(0, 100)]: text },
      contexts: {
        [text]: bag,
        trace: { trace_id: hexId(`hostile ${index}`, 32), span_id: hexId(`hostile ${index}`, 16) },
      },
      extra: bag,
      request: { url: text, headers: bag, data: text },
      breadcrumbs: [{ timestamp: text, category: text, message: text, data: bag }],
    }
    const lines = [{ event_id: event.event_id }, { type: "event" }, event].map((line) => JSON.stringify(line))
    const feedback = { message: text, name: text, contact_email: text, url: text, source: text }
    const header = { filename: text, content_type: text, attachment_type: text }
    const items = [
      [{ type: "attachment", ...header }, "<script>globalThis.pwned = true</script>"],
      [{ type: "feedback" }, { timestamp: now / 1_000, contexts: { feedback } }],
      [{ type: text.slice(0, 100) || "x", ...header }, { monitor_slug: text }],
    ]
    lines.push(...items.flat().map((line) => JSON.stringify(line)))
    await post(`${url}/api/1/envelope/`, lines.join("\n"), "text/plain")
    await post(`${url}/v1/traces`, JSON.stringify(pageload(index, text, now)), "application/json")
    await post(`${url}/api/1/envelope/`, `{}\n${JSON.stringify({ type: text.slice(0, 200) })}\n{}`, "text/plain")
  }
}

function pageload(index: number, text: string, now: number): object {
  const start = BigInt(now) * 1_000_000n
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } })
  const id = { traceId: hexId(`hostile ${index}`, 32), spanId: hexId(`hostile ${index}`, 16) }
  const span = {
    ...id,
    name: text.slice(0, 900) || "x",
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: [
      attribute("sentry.op", "pageload"),
      attribute("http.route", text.slice(0, 900)),
      attribute("browser.web_vital.lcp.value", text),
    ],
  }
  const child = { ...span, spanId: hexId(`hostile child ${index}`, 16), parentSpanId: id.spanId, attributes: [] }
  return {
    resourceSpans: [
      {
        resource: { attributes: [attribute("service.name", text.slice(0, 200))] },
        scopeSpans: [{ spans: [span, child] }],
      },
    ],
  }
}

async function post(url: string, body: string, type: string): Promise<void> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body })
  if (response.status >= 500) throw new Error(`${url} answered ${response.status}`)
}
