import { REDACTED_TEXT_LIMIT } from "./limits.ts"
import { isNameCode, redactAssignments } from "./secret-assignments.ts"
import { isHarmlessValue, isSecretKey } from "./secret-names.ts"
import {
  CREDENTIALS,
  isCredential,
  JSON_WEB_TOKEN,
  PASSAGE_HINT,
  PASSAGES,
  SCHEME_CREDENTIALS,
} from "./secret-shapes.ts"

/**
 * Redacts secrets in text that leaves the process: queries, fragments and users of URLs, values of secret names
 * (`secret-names.ts`), credentials by their shape (`secret-shapes.ts`). Page, server, MCP and "Copy as text" use this one
 * catalogue. The text is untrusted, so everything here runs in linear time. What was redacted once stays as it is.
 */

/** Replaces a secret, as in Sentry. */
export const FILTERED = "[Filtered]"

const PATH_TAIL = /(^|\s)(\/[^\s?#]*)[?#]\S*/g
const FLAG = /(^|\s)--([\w-]+)(\s+)([^\s-]\S*)/g

/** A character that ends every URL and every credential. */
const WORD_END = /[\s"'<>]/

/**
 * Redacts text that may hold absolute URLs and credentials anywhere, like an error's message. Text beyond
 * `REDACTED_TEXT_LIMIT` characters becomes `[Filtered]`.
 *
 * @example redactText("GET https://api.example/v1?key=1 failed") // "GET https://api.example/v1 failed"
 * @example redactText('{"password":"hunter2"}') // '{"password":"[Filtered]"}'
 */
export function redactText(text: string): string {
  const redacted = redactAssignments(redactUrls(redactPassages(cutLongText(text))), FILTERED)
  return redactWords(redactSchemes(redacted.includes("--") ? redacted.replace(FLAG, redactFlag) : redacted))
}

/** Cuts before the last word, which may be the first half of a secret. */
function cutLongText(text: string): string {
  if (text.length <= REDACTED_TEXT_LIMIT) return text
  let end = REDACTED_TEXT_LIMIT
  while (end > 0 && !WORD_END.test(text.charAt(end - 1))) end--
  return text.slice(0, end) + FILTERED
}

function redactPassages(text: string): string {
  if (!PASSAGE_HINT.test(text)) return text
  return PASSAGES.reduce((redacted, shape) => redacted.replace(shape, `$1${FILTERED}`), text)
}

function redactFlag(flag: string, before: string, name: string, space: string, value: string): string {
  return isSecretKey(name) && !isHarmlessValue(name, value) ? `${before}--${name}${space}${FILTERED}` : flag
}

function redactSchemes(text: string): string {
  return text.replace(SCHEME_CREDENTIALS, (match, scheme: string, space: string, credential: string) =>
    isCredential(scheme, credential) ? `${scheme}${space}${FILTERED}` : match,
  )
}

/** Every credential of `CREDENTIALS` is, or is part of, a run of at least this many letters, digits, `_`, `-` and `.`. */
const CREDENTIAL_LENGTH = 20

/** Looks at every twentieth character first: most are in shorter words, which it passes over. */
function redactWords(text: string): string {
  let redacted = ""
  let copied = 0
  let last = CREDENTIAL_LENGTH - 1
  while (last < text.length) {
    const start = last - CREDENTIAL_LENGTH + 1
    let at = last
    while (at >= start && isNameCode(text.charCodeAt(at))) at--
    if (at < start) {
      let end = last + 1
      while (end < text.length && isNameCode(text.charCodeAt(end))) end++
      const word = text.slice(start, end)
      const bare = redactWord(word)
      if (bare !== word) {
        redacted += text.slice(copied, start) + bare
        copied = end
      }
      at = end
    }
    last = at + CREDENTIAL_LENGTH
  }
  return copied === 0 ? text : redacted + text.slice(copied)
}

function redactToken(token: string, before: string, parts?: string): string {
  return parts === undefined ? token : before + FILTERED
}

function redactWord(word: string): string {
  const bare = word.includes("eyJ") ? word.replace(JSON_WEB_TOKEN, redactToken) : word
  const preceded = ` ${bare}`
  // `search` costs a fifth of `replace`, and nearly always finds nothing.
  return preceded.search(CREDENTIALS) === -1 ? bare : preceded.replace(CREDENTIALS, `$1${FILTERED}`).slice(1)
}

/** A URL to its end, with or without a query, so that the next match starts after it. */
const URL_REST = /:\/\/[^\s"'<>]+/g
/** A port, or nothing, behind the first colon of an authority. */
const PORT = /^(?:\[[^\]]*\]|[^:]*):?\d{0,5}$/
function redactUrls(text: string): string {
  if (!text.includes("://")) return text
  return text.replace(URL_REST, (url, at: number) => {
    const bare = url.includes("@") ? withoutUsers(url, text.slice(Math.max(0, at - 5), at)) : url
    const end = bare.search(/[?#]/)
    return end === -1 ? bare : bare.slice(0, end)
  })
}

/** A URL may hold another one. */
function withoutUsers(url: string, scheme: string): string {
  const [, ...parts] = url.split("://")
  return parts.map((part, index) => `://${withoutUser(part, parts[index - 1] ?? scheme)}`).join("")
}

/**
 * Removes user and password. A password may hold `/`, `?` and `#` where what stands before them is no host with a port. In
 * addresses of databases and the like, which hold no `@` in their path, it may hold anything.
 *
 * @param before ends with the scheme.
 */
function withoutUser(part: string, before: string): string {
  const authority = /^[^/?#]*/.exec(part)?.[0] ?? ""
  if (!/(?:https?|wss?)$/i.test(before) && /[:@]/.test(authority)) {
    const path = part.replace(/\?.*/s, "")
    return part.slice((path.includes("@") ? path : part).lastIndexOf("@") + 1)
  }
  if (authority.includes("@")) return part.slice(authority.lastIndexOf("@") + 1)
  return PORT.test(authority) ? part : part.slice(part.indexOf("@") + 1)
}

/**
 * Redacts text that is or contains an address, like a span's name: as `redactText`, and also the queries of bare paths.
 *
 * @example redactAddress("GET /reset?code=1") // "GET /reset"
 */
export function redactAddress(text: string): string {
  return redactText(text).replace(PATH_TAIL, "$1$2")
}

/** Attributes that hold an address. `url`, `from` and `to` are the names in Sentry's breadcrumbs. */
const ADDRESS_KEY =
  /^(?:url(?:\.|$)|from$|to$|http\.(?:url|target|route)$|next\.|sentry\.description$|navigation\.|code\.|exception\.[ms])/

/**
 * Redacts the value of an attribute by its key and its shape. A value that is no string stays as it is, unless its key is secret.
 *
 * @example redactAttribute("jwt", "hunter2") // "[Filtered]"
 * @example redactAttribute("retries", 3) // 3
 */
export function redactAttribute<Value>(key: string, value: Value): Value | string {
  if (isSecretKey(key) && !isHarmlessValue(key, String(value))) return FILTERED
  if (typeof value !== "string") return value
  return ADDRESS_KEY.test(key) ? redactAddress(value) : redactText(value)
}

export { isSecretKey, isSecretParameter } from "./secret-names.ts"
