import { generatedRequest } from "./generated-requests.ts"
import type { Random } from "./random.ts"
import type { Json } from "./requests.ts"

/** A generated request whose spans are all valid: no key twice, good ids, a start and an end, known kinds. */
export function validRequest(random: Random): Json {
  return valid(generatedRequest(random), random)
}

function valid(value: Json, random: Random): Json {
  if (Array.isArray(value)) return value.map((inner, index) => withOwnKey(valid(inner, random), index))
  if (typeof value !== "object" || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, valid(each, random)]))
  return "spanId" in inner ? validSpan(inner, random) : inner
}

function withOwnKey(value: Json, index: number): Json {
  const isEntry = typeof value === "object" && value !== null && "key" in value
  return isEntry && index > 0 ? { ...value, key: `${value.key} ${index}` } : value
}

/** Repairs a span, or a link. */
function validSpan(span: Json, random: Random): Json {
  const ids = { traceId: `01${random.hex(15)}`, spanId: `01${random.hex(7)}` }
  if (!("startTimeUnixNano" in span)) return { ...span, ...ids }
  const end = String(BigInt(span.startTimeUnixNano) + BigInt(random.below(2 ** 31)))
  const status = span.status && { ...span.status, code: random.below(3) }
  // Few spans of an app have events or links.
  const rest = random.chance(0.7) ? { events: [], links: [] } : {}
  return { ...span, ...ids, ...rest, ...(status && { status }), endTimeUnixNano: end, kind: random.below(6) }
}
