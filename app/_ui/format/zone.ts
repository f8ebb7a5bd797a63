/** The IANA name of a time zone, such as `Europe/Berlin`. */
export type Zone = string

export const UTC: Zone = "UTC"
export const ZONE_COOKIE = "pagespan-zone"
const YEAR_SECONDS = 31_536_000

/** The zone that the cookie names; UTC for anything else. */
export function zoneOf(text: string | undefined): Zone {
  return text !== undefined && /^[\w/+-]{1,64}$/.test(text) && partsOf(text) !== undefined ? text : UTC
}

/** The zone of this browser. */
export function localZone(): Zone {
  return zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone)
}

/** Stores the zone in a cookie, so that the server renders the next page in it. */
export function chooseZone(zone: Zone): void {
  // Not every supported browser has the Cookie Store API.
  // oxlint-disable-next-line unicorn/no-document-cookie
  document.cookie = `${ZONE_COOKIE}=${zone}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`
}

/** `2026-01-31 12:00:00` in the zone. Milliseconds since the epoch, within the range of `Date`. */
export function zonedText(milliseconds: number, zone: Zone): string {
  if (zone === UTC) return new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ")
  return partsOf(zone)?.time.format(milliseconds).replace(",", "") ?? zonedText(milliseconds, UTC)
}

/** The zone at that time as its distance from UTC: `UTC`, `UTC+1`, `UTC−3:30`. */
export function zoneLabel(milliseconds: number, zone: Zone): string {
  if (zone === UTC) return UTC
  const offset = partsOf(zone)
    ?.offset.formatToParts(milliseconds)
    .find(({ type }) => type === "timeZoneName")?.value
  return (offset ?? "GMT").replace("GMT", "UTC").replace("-", "−")
}

/** The moment of a text such as `2026-01-31T12:00:00` in the zone, in milliseconds since the epoch; `NaN` for another text. */
export function momentInZone(text: string, zone: Zone): number {
  const asUtc = Date.parse(`${text}Z`)
  if (zone === UTC || Number.isNaN(asUtc)) return asUtc
  const ahead = (milliseconds: number) =>
    Date.parse(`${zonedText(milliseconds, zone).replace(" ", "T")}Z`) - milliseconds
  // The distance from UTC may differ between the two guesses where a clock change is near.
  const guess = asUtc - ahead(asUtc)
  return asUtc - ahead(guess)
}

interface Formats {
  readonly time: Intl.DateTimeFormat
  readonly offset: Intl.DateTimeFormat
}

const known = new Map<Zone, Formats>()
/** There are some hundreds of zones, but a cookie may also name thousands of offsets such as `+0001`. */
const KNOWN_LIMIT = 1_000

/** Formats are slow to make, so those of valid zones are kept; the oldest give way to new ones. */
function partsOf(zone: Zone): Formats | undefined {
  const formats = known.get(zone) ?? formatsOf(zone)
  if (formats === undefined || known.has(zone)) return formats
  const [oldest] = known.keys()
  if (oldest !== undefined && known.size >= KNOWN_LIMIT) known.delete(oldest)
  known.set(zone, formats)
  return formats
}

function formatsOf(timeZone: Zone): Formats | undefined {
  try {
    return {
      // Sweden writes dates as ISO 8601 does.
      time: new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }),
      offset: new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "shortOffset" }),
    }
  } catch {
    // No such zone.
    return undefined
  }
}
