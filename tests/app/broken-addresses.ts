import { scanRoutes } from "#otel/sdk/routes/scan.ts"

/** Addresses that nobody meant, for every screen that the app has: cut, mistyped, made up, or of what has been deleted. */

/** Each stands under every name that a screen may read. */
const BROKEN_VALUES = [
  "",
  "banana",
  "-1",
  "99999999999999999999",
  "\0",
  "__proto__",
  "((((((((",
  "<script>alert(1)</script>",
  '~"(a+)+$"',
  "\u202e\u{1f9ea}\ufffe",
  "x".repeat(600),
]

/** Names that screens read, of lists and of one trace. */
const NAMES =
  "filter q service since until limit after sort order event kind span view with zoom path fold from to".split(" ")

/** Of a trace that is stored, so that what stands behind its address is read at all. */
export const STORED_TRACE = "ab".repeat(16)

/** Queries that are no list of names and values. */
const BROKEN_QUERIES = ["%", "x=%E0%A4%A", "&&&===", "[]=1&a[b]=2&__proto__[x]=1", "since=1h&since=2h&limit=1&limit=2"]

/** In place of an id: none that could be one, and one that could and is of nothing. */
const BROKEN_IDS = [
  "f".repeat(32),
  "0".repeat(32),
  "zz",
  "__proto__",
  "..%2F..%2Fetc%2Fpasswd",
  "%00",
  "%0D%0Ax-header:%201",
  "%3Cscript%3E",
  "x".repeat(600),
]

/** No text in UTF-8, so no address at all. */
const UNREADABLE = ["%", "%E0%A4%A", "%ff", "a%zzb"]

export interface BrokenAddress {
  readonly screen: string
  readonly path: string
  readonly statuses: readonly number[]
}

/** A screen whose last part is an id of 32 digits; others take any text, and may have something to say about it. */
const OF_AN_ID = /\/\[\w+Id\]$/
const PLACE = /\[(?:\.\.\.)?\w+\]/

export function screens(): string[] {
  return scanRoutes(".", "page")
}

/** The screen's address, with something in its place where it has one. */
export function addressOf(screen: string, id = "f".repeat(32)): string {
  return screen.replace(PLACE, () => id)
}

export function brokenAddresses(): BrokenAddress[] {
  return screens().flatMap((screen) => [
    ...(PLACE.test(screen) ? brokenIds(screen) : brokenQueries(screen, screen)),
    ...(screen.includes("[traceId]") ? brokenQueries(screen, addressOf(screen, STORED_TRACE)) : []),
  ])
}

function brokenIds(screen: string): BrokenAddress[] {
  const statuses = OF_AN_ID.test(screen) ? [404] : [200, 404]
  return [
    ...BROKEN_IDS.map((id) => ({ screen, path: addressOf(screen, id), statuses })),
    ...UNREADABLE.map((id) => ({ screen, path: addressOf(screen, id), statuses: [400] })),
  ]
}

function brokenQueries(screen: string, address: string): BrokenAddress[] {
  const values = BROKEN_VALUES.map((value) => new URLSearchParams(NAMES.map((name) => [name, value])).toString())
  return [...values, ...BROKEN_QUERIES].map((query) => ({ screen, path: `${address}?${query}`, statuses: [200] }))
}
