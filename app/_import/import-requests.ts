import type { OtlpElement } from "./otlp-cutter.ts"

/** One request of an import. */
export interface ImportRequest {
  readonly path: "/v1/traces" | "/v1/logs"
  readonly body: string
  /** Spans, or log records. */
  readonly count: number
  /** Ids of the traces that it contains. */
  readonly traceIds: readonly string[]
}

/** Limits of one request, well below the 20 MiB that the receiver accepts. */
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
 * Splits one element into requests of bounded size. `undefined` when the element is not JSON, or has no endpoint (metrics).
 */
export function importRequests({ list, text }: OtlpElement): ImportRequest[] | undefined {
  const resource = parse(text)
  if (resource === undefined || list === "resourceMetrics") return undefined
  const [path, scopes, records] =
    list === "resourceSpans"
      ? (["/v1/traces", resource.scopeSpans, "spans"] as const)
      : (["/v1/logs", resource.scopeLogs, "logRecords"] as const)
  if (!Array.isArray(scopes)) return []
  const parts = scopes.flatMap((scope) => {
    const all = Array.isArray(scope?.[records]) ? scope[records] : []
    return slices(all).map((some) => ({ ...scope, [records]: some }))
  })
  const isSmall = parts.length <= 1 && text.length <= CHARACTERS_A_REQUEST
  const grouped = isSmall || fits(parts, records, text) ? [parts] : parts.map((part) => [part])
  return grouped.map((group) => {
    const some = group.flatMap((part) => part[records] ?? [])
    const key = list === "resourceSpans" ? "scopeSpans" : "scopeLogs"
    const isAll = grouped.length === 1
    return {
      path,
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

/** Slices within both limits. A record that alone exceeds the limit of characters is a slice of its own. */
function slices<T>(all: readonly T[]): (readonly T[])[] {
  const done: T[][] = []
  let characters = Infinity
  for (const record of all) {
    const length = JSON.stringify(record).length
    characters += length
    const last = done.at(-1)
    if (last !== undefined && characters <= CHARACTERS_A_REQUEST && last.length < SPANS_A_REQUEST) last.push(record)
    else {
      done.push([record])
      characters = length
    }
  }
  return done
}

/** Unquoted 64-bit numbers, which `JSON.parse` would round to doubles. They are quoted first. */
const BARE_NUMBER =
  /("(?:startTimeUnixNano|endTimeUnixNano|timeUnixNano|observedTimeUnixNano|intValue)"\s*:\s*)(-?\d+)/g

function parse(text: string): ResourceJson | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(BARE_NUMBER, '$1"$2"'))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as ResourceJson) : undefined
  } catch {
    return undefined // the importer reports it as rejected
  }
}
