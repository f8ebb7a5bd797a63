import type { AttributeRow } from "./span-detail.ts"

/** Header and parameter names whose values are secrets: they are named, so that one knows what to add, and left out. */
const SECRET_NAME =
  /(?:^|[._-])(?:auth|authori[sz]ation|cookies?|passw(?:or)?d|passphrase|pwd|secret|credentials?|key|sig|signature|session|sid|csrf|xsrf|jwt|token|code)(?:$|[._-])|api[_-]?key|token$|secret$/i
const REQUEST_HEADER = "http.request.header."
/** What curl sets by itself, or what would describe a body that is not known. */
const OWN_HEADERS = new Set(["host", "content-length", "connection", "transfer-encoding", "accept-encoding"])
const METHOD = /^[A-Z]{1,20}$/
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/

/**
 * The request of an HTTP span as a command for a shell, or `undefined` when its span does not tell where it went. Every word
 * is quoted for a POSIX shell. Secrets are left out: user and password in the address, and headers and parameters that are
 * named like one; so are bodies, which spans do not have. Attributes of OpenTelemetry's conventions, new and old.
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
  const kept = headers.filter((header) => header !== undefined)
  return [...words, ...kept.flatMap((header) => ["-H", quoted(header)]), quoted(address)].join(" ")
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
  for (const name of Array.from(url.searchParams.keys()))
    if (SECRET_NAME.test(name)) url.searchParams.set(name, "REMOVED")
  return url.href
}

function headerOf({ key, text }: AttributeRow): string | undefined {
  const name = key.slice(REQUEST_HEADER.length).replaceAll("_", "-").toLowerCase()
  if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name) || SECRET_NAME.test(name)) return undefined
  const value = firstOfList(text).replace(/[\r\n\0]+/g, " ")
  return `${name}: ${value}`
}

/** The conventions tell a header as a list of values. */
function firstOfList(text: string): string {
  if (!text.startsWith("[")) return text
  try {
    const values: unknown = JSON.parse(text)
    return Array.isArray(values) ? values.join(", ") : text
  } catch {
    return text // a value that only looks like a list
  }
}

/** In single quotes nothing is special to a POSIX shell; a single quote itself stands outside of them. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
