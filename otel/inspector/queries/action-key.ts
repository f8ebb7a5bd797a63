/**
 * How a page of the inspector proves that it may change data where a token is configured. The session cookie cannot: a
 * browser sends it to every server on the same host, whatever its port. The sign-in therefore also gives the page a key, in
 * the storage of its origin, which no other port can read.
 */

/** Request header with the key. */
export const ACTION_HEADER = "x-pagespan-action"
/** Name of the key in `localStorage`. */
export const ACTION_STORAGE = "pagespan.action"
