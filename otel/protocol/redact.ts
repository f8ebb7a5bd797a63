import { REDACTED_TEXT_LIMIT } from "./limits.ts"

/**
 * Redacts secrets in text that leaves the process: queries, fragments and user names of URLs, credentials by their shape,
 * and whole values by the name of their key. The text is untrusted, so every pattern runs in linear time: after a failed
 * match, the next attempt must not start inside the text that the failed one has read.
 */

/** Replaces a secret, as in Sentry. */
export const FILTERED = "[Filtered]"

const URL_USER = /:\/\/[^\s/?#@"'<>]+@/g
/** Matches a URL to its end, with or without a query, so that the next match starts after it. */
const URL_TAIL = /(:\/\/[^\s?#"'<>]+)(?:[?#][^\s"'<>]*)?/g
const PATH_TAIL = /(^|\s)(\/[^\s?#]*)[?#]\S*/g
const SCHEME_CREDENTIALS = /\b(Bearer|Basic|Digest|Negotiate|DSN)\s+[\w.~+/=-]{8,}/gi
/** Matches everything that starts like a token, to its end. It is a token if the group matched. */
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,}(\.[\w-]{4,}\.[\w-]*)?/g
const ASSIGNED =
  /\b(passw(?:or)?d|pwd|secret|api[_-]?key|private[_-]?key|(?:\w{1,16}[_-])?token|signature)(=|%3D)[^&\s"']+/gi

/** A character that ends every URL and every credential. */
const WORD_END = /[\s"'<>]/

const SECRET_KEY =
  /(?:^|[._-])(?:(?:proxy-)?authori[sz]ation|(?:set-)?cookies?|passw(?:or)?d|passphrase|pwd|(?:client[_-]?)?secret|credentials?|(?:x-)?api[_-]?key|private[_-]?key|csrf|xsrf|(?:[a-z]{1,16}[_-]?)?token)$/i

/** Whether a key's value is a secret, whatever its shape. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key)
}

/**
 * Redacts text that may hold absolute URLs and credentials anywhere, like an error's message. Text beyond
 * `REDACTED_TEXT_LIMIT` characters becomes `[Filtered]`.
 *
 * @example redactText("GET https://api.example/v1?key=1 failed") // "GET https://api.example/v1 failed"
 */
export function redactText(text: string): string {
  return cutLongText(text)
    .replace(URL_USER, "://")
    .replace(URL_TAIL, "$1")
    .replace(SCHEME_CREDENTIALS, `$1 ${FILTERED}`)
    .replace(JSON_WEB_TOKEN, (text, rest?: string) => (rest === undefined ? text : FILTERED))
    .replace(ASSIGNED, `$1$2${FILTERED}`)
}

/** Cuts before the last word, which may be the first half of a secret. Every pattern above needs at most one whole word. */
function cutLongText(text: string): string {
  if (text.length <= REDACTED_TEXT_LIMIT) return text
  let end = REDACTED_TEXT_LIMIT
  while (end > 0 && !WORD_END.test(text.charAt(end - 1))) end--
  return text.slice(0, end) + FILTERED
}

/**
 * Redacts text that is or contains an address, like a span's name: as `redactText`, and also the queries of bare paths.
 *
 * @example redactAddress("GET /reset?code=1") // "GET /reset"
 */
export function redactAddress(text: string): string {
  return redactText(text).replace(PATH_TAIL, "$1$2")
}
