import type { Random } from "./random.ts"
import type { Json } from "./requests.ts"

/**
 * Requests that SDKs could send and some that they should not: all value types nested, absent fields, bad ids and times
 * among good ones. Both encodings can express each of them.
 */
export function generatedRequest(random: Random): Json {
  return {
    resourceSpans: random.list(3, () => ({
      ...(random.chance(0.8) && { resource: { attributes: attributes(random) } }),
      ...(random.chance(0.3) && { schemaUrl: "https://opentelemetry.io/schemas/1.43.0" }),
      scopeSpans: random.list(3, () => ({
        ...(random.chance(0.8) && {
          scope: { name: text(random), version: text(random), attributes: attributes(random) },
        }),
        spans: random.list(6, () => generatedSpan(random)),
      })),
    })),
  }
}

function generatedSpan(random: Random): Json {
  const start = 1_500_000_000_000_000_000n + BigInt(random.below(2 ** 30)) * 1_000_003n
  const end = start + BigInt(random.below(2 ** 30)) - (random.chance(0.1) ? 2n ** 31n : 0n)
  return {
    traceId: random.chance(0.05) ? "" : random.hex(16),
    spanId: random.chance(0.05) ? "00".repeat(8) : random.hex(8),
    ...(random.chance(0.6) && { parentSpanId: random.pick([random.hex(8), "", "00".repeat(8)]) }),
    ...(random.chance(0.2) && { traceState: "vendor=1,other=2" }),
    ...(random.chance(0.5) && { flags: random.below(2 ** 32) }),
    name: text(random),
    ...(random.chance(0.8) && { kind: random.below(8) }),
    startTimeUnixNano: String(start),
    ...(random.chance(0.97) && { endTimeUnixNano: String(end) }),
    attributes: attributes(random),
    droppedAttributesCount: random.below(3),
    events: random.list(2, () => ({ timeUnixNano: String(start), name: text(random), attributes: attributes(random) })),
    droppedEventsCount: random.below(3),
    links: random.list(2, () => ({
      traceId: random.hex(16),
      spanId: random.chance(0.2) ? "0102" : random.hex(8),
      attributes: attributes(random),
    })),
    ...(random.chance(0.5) && { status: { code: random.below(4), message: text(random) } }),
  }
}

function attributes(random: Random, depth = 0): Json[] {
  return random.list(5, () => ({ key: text(random), ...(random.chance(0.95) && { value: value(random, depth) }) }))
}

function value(random: Random, depth: number): Json {
  const kinds = depth > 3 ? 6 : 8
  switch (random.below(kinds)) {
    case 0:
      return { stringValue: text(random) }
    case 1:
      return { boolValue: random.chance(0.5) }
    case 2:
      return { intValue: random.pick(["0", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"]) }
    case 3:
      return { doubleValue: random.pick([0, 0.1, -1e300, 5e-324, 2 ** 53]) }
    case 4:
      return { bytesValue: Buffer.from(random.hex(random.below(9)), "hex").toString("base64") }
    case 5:
      return {}
    case 6:
      return { arrayValue: { values: random.list(3, () => value(random, depth + 1)) } }
    default:
      return { kvlistValue: { values: attributes(random, depth + 1) } }
  }
}

function text(random: Random): string {
  return random.pick([
    "",
    "http.route",
    "/blog/[slug]",
    "naïve café",
    "日本語",
    "👩‍🚀",
    "a\u0000b",
    "__proto__",
    "constructor",
  ])
}
