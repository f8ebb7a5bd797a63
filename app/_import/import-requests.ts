import type { OtlpElement } from "./otlp-cutter.ts"

/** One request of an import. */
export interface ImportRequest {
  readonly handler: "/v1/traces" | "/v1/logs"
  readonly body: string
  /** Spans, or log records. */
  readonly count: number
  /** Ids of the traces in it. */
  readonly traceIds: readonly string[]
}

/** Spans in one request, as the handlers take them: a body may have 20 MiB. */
const SPANS_A_REQUEST = 2_000
const CHARACTERS_A_REQUEST = 4_000_000

interface ScopeJson {
  readonly spans?: readonly { readonly traceId?: unknown }[]
  readonly logRecords?: readonly { readonly traceId?: unknown }[]
}

type ResourceJson = Readonly<Record<string, unknown>> & {
  readonly scopeSpans?: ScopeJson[]
  readonly scopeLogs?: ScopeJson[]
}

/**
 * The requests that bring one element to its handler; more than one where it is large. `undefined` when it is not JSON, or of a
 * kind that has no handler.
 */
export function importRequests({ list, text }: OtlpElement): ImportRequest[] | undefined {
  const resource = parse(text)
  if (resource === undefined || list === "resourceMetrics") return undefined
  const [handler, scopes, records] =
    list === "resourceSpans"
      ? (["/v1/traces", resource.scopeSpans, "spans"] as const)
      : (["/v1/logs", resource.scopeLogs, "logRecords"] as const)
  if (!Array.isArray(scopes)) return []
  const parts = scopes.flatMap((scope) => {
    const all = Array.isArray(scope?.[records]) ? scope[records] : []
    return slices(all).map((some) => ({ ...scope, [records]: some }))
  })
  const whole = parts.length <= 1 && text.length <= CHARACTERS_A_REQUEST
  const grouped = whole || fits(parts, records, text) ? [parts] : parts.map((part) => [part])
  return grouped.map((group) => {
    const some = group.flatMap((part) => part[records] ?? [])
    const key = list === "resourceSpans" ? "scopeSpans" : "scopeLogs"
    const isAll = grouped.length === 1
    return {
      handler,
      body: `{"${list}":[${isAll ? text : JSON.stringify({ ...resource, [key]: group })}]}`,
      count: some.length,
      traceIds: [...new Set(some.map(({ traceId }) => traceId).filter((id) => typeof id === "string"))],
    }
  })
}

function fits(parts: readonly ScopeJson[], records: "spans" | "logRecords", text: string): boolean {
  const count = parts.reduce((sum, part) => sum + (part[records]?.length ?? 0), 0)
  return count <= SPANS_A_REQUEST && text.length <= CHARACTERS_A_REQUEST
}

function slices<T>(all: readonly T[]): (readonly T[])[] {
  const some: (readonly T[])[] = []
  for (let from = 0; from < all.length; from += SPANS_A_REQUEST) some.push(all.slice(from, from + SPANS_A_REQUEST))
  return some
}

/** 64-bit numbers that stand bare in the text would be rounded to doubles: in quotes they keep their digits. */
const BARE_NUMBER =
  /("(?:startTimeUnixNano|endTimeUnixNano|timeUnixNano|observedTimeUnixNano|intValue)"\s*:\s*)(-?\d+)/g

function parse(text: string): ResourceJson | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(BARE_NUMBER, '$1"$2"'))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ResourceJson) : undefined
  } catch {
    return undefined // the result says how many pieces were no JSON
  }
}
