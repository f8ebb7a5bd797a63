import { scanRoutes } from "#otel/sdk/routes/scan.ts"

/** URLs that nobody intends, for every screen of the app: truncated, mistyped, invented, or of deleted records. */

/** Each is the value of every parameter that a screen may read. */
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

/** The parameters of lists and of the screen of a trace. */
const NAMES =
  "filter q a b aSince aUntil bSince bUntil service since until limit after sort order event kind span view with zoom path fold from to chart baseline".split(
    " ",
  )

/** A stored trace, so that its screen reads the parameters at all. */
export const STORED_TRACE = "ab".repeat(16)

/** Queries that are not lists of names and values. */
const BROKEN_QUERIES = ["%", "x=%E0%A4%A", "&&&===", "[]=1&a[b]=2&__proto__[x]=1", "since=1h&since=2h&limit=1&limit=2"]

/** Values in place of an id: invalid ones, and valid ones that are not stored. */
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

/** Not UTF-8, so not a valid URL. */
const UNREADABLE = ["%", "%E0%A4%A", "%ff", "a%zzb"]

export interface BrokenAddress {
  readonly screen: string
  readonly path: string
  readonly statuses: readonly number[]
}

/** Matches a screen whose last segment is an id of 32 digits. Others accept any text and may show something for it. */
const OF_AN_ID = /\/\[\w+Id\]$/
const PLACE = /\[(?:\.\.\.)?\w+\]/

export function screens(): string[] {
  return scanRoutes(".", "page")
}

/** The URL of a screen, with `id` for its dynamic segment, if it has one. */
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
  const values = BROKEN_VALUES.flatMap((value) =>
    groupsOf(value).map((names) => new URLSearchParams(names.map((name) => [name, value])).toString()),
  )
  return [...values, ...BROKEN_QUERIES].map((query) => ({ screen, path: `${address}?${query}`, statuses: [200] }))
}

/** All names at once, in several requests where one would be longer than the 16 KiB that the server reads of a head. */
function groupsOf(value: string): readonly (readonly string[])[] {
  if (value.length < 100) return [NAMES]
  const middle = Math.ceil(NAMES.length / 2)
  return [NAMES.slice(0, middle), NAMES.slice(middle)]
}
