import type { Attributes } from "@opentelemetry/api"

const HEADER_PREFIX = "http.request.header."

/** What Sentry shows of the request that a root answered. Holds no query: the attributes that it is read from have none. */
export interface TransactionRequest {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** From attributes that have been made ready to leave; `undefined` where the root answered no request. */
export function transactionRequest(attributes: Attributes): TransactionRequest | undefined {
  const method = attributes["http.request.method"]
  if (typeof method !== "string") return undefined
  const url = requestUrl(attributes)
  const headers = requestHeaders(attributes)
  return {
    method,
    ...(url === undefined ? {} : { url }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  }
}

function requestUrl(attributes: Attributes): string | undefined {
  const full = attributes["url.full"]
  if (typeof full === "string") return full
  const path = attributes["url.path"]
  if (typeof path !== "string") return undefined
  const host = firstOf(attributes[`${HEADER_PREFIX}host`]) ?? attributes["server.address"]
  return typeof host === "string" ? `${String(attributes["url.scheme"] ?? "http")}://${host}${path}` : path
}

function requestHeaders(attributes: Attributes): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [key, value] of Object.entries(attributes)) {
    const text = key.startsWith(HEADER_PREFIX) ? firstOf(value) : undefined
    if (text !== undefined) headers[key.slice(HEADER_PREFIX.length).replaceAll("_", "-")] = text
  }
  const agent = attributes["user_agent.original"]
  return typeof agent === "string" ? { ...headers, "user-agent": agent } : headers
}

/** Header attributes are lists by convention, single texts in older instrumentations. */
function firstOf(value: Attributes[string]): string | undefined {
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === "string" ? first : undefined
}
