/**
 * Takes secrets out of text that leaves the process: queries, fragments and user names of URLs, credentials by their
 * shape, and whole values by the name of their key. Every pattern runs in linear time, whatever the text.
 */

/** What stands in place of a secret, as in Sentry. */
export const FILTERED = "[Filtered]"

const URL_USER = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,512}@/gi
const URL_TAIL = /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s?#"'<>]{1,4096})[?#][^\s"'<>]*/gi
const PATH_TAIL = /(^|\s)(\/[^\s?#]*)[?#]\S*/g
const SCHEME_CREDENTIALS = /\b(Bearer|Basic|Digest|Negotiate|DSN)\s+[\w.~+/=-]{8,}/gi
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g
const ASSIGNED =
  /\b(passw(?:or)?d|pwd|secret|api[_-]?key|private[_-]?key|(?:\w{1,16}[_-])?token|signature)(=|%3D)[^&\s"']+/gi

const SECRET_KEY =
  /(?:^|[._-])(?:(?:proxy-)?authori[sz]ation|(?:set-)?cookies?|passw(?:or)?d|passphrase|pwd|(?:client[_-]?)?secret|credentials?|(?:x-)?api[_-]?key|private[_-]?key|csrf|xsrf|(?:[a-z]{1,16}[_-]?)?token)$/i

/** Whether what stands under this key is a secret, whatever it looks like. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key)
}

/** For text that may hold absolute URLs and credentials anywhere, like an error's message. */
export function scrubText(text: string): string {
  return text
    .replace(URL_USER, "$1")
    .replace(URL_TAIL, "$1")
    .replace(SCHEME_CREDENTIALS, `$1 ${FILTERED}`)
    .replace(JSON_WEB_TOKEN, FILTERED)
    .replace(ASSIGNED, `$1$2${FILTERED}`)
}

/** For text that is or names an address, like a span's name: the query of a bare path goes as well. */
export function scrubAddress(text: string): string {
  return scrubText(text).replace(PATH_TAIL, "$1$2")
}
