import { isSecretParameter, redactText } from "../../../protocol/redact.ts"
import type { AttributeRow } from "./span-detail.ts"

const REQUEST_HEADER = "http.request.header."
/** Headers that curl sets itself, or that describe a body, which spans do not have. */
const OWN_HEADERS = new Set(["host", "content-length", "connection", "transfer-encoding", "accept-encoding"])
const METHOD = /^[A-Z]{1,20}$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/

/**
 * The request of an HTTP span as a command for a POSIX shell, with every argument quoted; `undefined` when the span has no
 * address. Omits user, password and secret headers, and replaces secret parameters by `REMOVED`, and other secrets by
 * `[Filtered]`. Reads the old and the new
 * attribute names of OpenTelemetry's conventions.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function curlCommand(attributes: readonly AttributeRow[]): string | undefined {
  const text = new Map(attributes.map((row) => [row.key, row.text]))
  const address = addressOf((...keys) =>
    keys.map((key) => text.get(key)).find((value) => value !== undefined && value !== ""),
  )
  if (address === undefined) return undefined
  const method = (text.get("http.request.method") ?? text.get("http.method") ?? "GET").toUpperCase()
  const words = ["curl", ...(method === "GET" || !METHOD.test(method) ? [] : ["-X", quoted(method)])]
  const headers = attributes.filter(({ key }) => key.startsWith(REQUEST_HEADER)).map(headerOf)
  const named = headers.filter((header) => header !== undefined)
  return [...words, ...named.flatMap((header) => ["-H", quoted(header)]), quoted(address)].join(" ")
}

function addressOf(read: (...keys: string[]) => string | undefined): string | undefined {
  const whole = read("url.full", "http.url")
  if (whole !== undefined) return withoutSecrets(whole)
  const host = read("server.address", "http.host", "net.host.name", "net.peer.name")
  const path = read("url.path", "http.target")
  if (host === undefined || path === undefined) return undefined
  const port = host.includes(":") ? undefined : read("server.port", "net.host.port", "net.peer.port")
  const query = read("url.query")
  const scheme = read("url.scheme", "http.scheme") ?? (port === "443" ? "https" : "http")
  return withoutSecrets(`${scheme}://${host}${port === undefined ? "" : `:${port}`}${path}${query ? `?${query}` : ""}`)
}

function withoutSecrets(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  url.username = ""
  url.password = ""
  url.hash = ""
  url.pathname = redactText(url.pathname)
  for (const [name, value] of Array.from(url.searchParams))
    if (isSecretParameter(name) || redactText(value) !== value) url.searchParams.set(name, "REMOVED")
  return url.href
}

function headerOf({ key, text }: AttributeRow): string | undefined {
  const name = key.slice(REQUEST_HEADER.length).replaceAll("_", "-").toLowerCase()
  if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name) || isSecretParameter(name)) return undefined
  const value = redactText(firstOfList(text)).replace(/[\r\n\0]+/g, " ")
  return `${name}: ${value}`
}

/** The conventions record a header as a list of values. */
function firstOfList(text: string): string {
  if (!text.startsWith("[")) return text
  try {
    const values: unknown = JSON.parse(text)
    return Array.isArray(values) ? values.join(", ") : text
  } catch {
    return text // not a list after all
  }
}

/** Quotes a text for a POSIX shell, which expands nothing inside single quotes. A single quote itself must be outside them. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
