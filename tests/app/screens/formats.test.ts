import { describe, expect, it } from "vitest"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { formatAge, formatAgo, formatDuration, formatMoment, formatNanoseconds, isoTime } from "#app/_ui/format/time.ts"
import { momentInZone, zonedText, zoneOf } from "#app/_ui/format/zone.ts"

const plain = (text: string) => text.replaceAll("\u00A0", " ")

describe("a duration", () => {
  it.each([
    [0n, "0 ns"],
    [999n, "999 ns"],
    [1_000n, "1.00 µs"],
    [12_345n, "12.3 µs"],
    [999_499n, "999 µs"],
    [999_999n, "1.00 ms"],
    [1_199_951n, "1.20 ms"],
    [999_960_000n, "1.00 s"],
    [1_239_999_999n, "1.24 s"],
    [59_999_999_999n, "1 m 0 s"],
    [179_600_000_000n, "3 m 0 s"],
    [123_000_000_000n, "2 m 3 s"],
    [3_600_000_000_000n, "1 h 0 m"],
    [90_000_000_000_000n, "1 d 1 h"],
    [-1_500_000n, "−1.50 ms"],
    [2n ** 63n, "106752 d 0 h"],
  ])("of %i ns reads %s", (nanos, text) => {
    expect(plain(formatDuration(nanos))).toBe(text)
  })

  it("in nanoseconds shows every digit", () => {
    expect(plain(formatNanoseconds(9_007_199_254_740_993n))).toBe("9,007,199,254,740,993 ns")
  })
})

describe("a time", () => {
  it("keeps its nine digits and shows its time zone", () => {
    expect(isoTime(1_767_225_600_123_456_789n)).toBe("2026-01-01T00:00:00.123456789Z")
    expect(formatMoment(1_767_225_600_123_456_789n)).toBe("2026-01-01 00:00:00.123 UTC")
  })

  it("at the largest 64-bit nanosecond is a date, and beyond the range of Date a number", () => {
    expect(isoTime(2n ** 64n - 1n)).toBe("2554-07-21T23:34:33.709551615Z")
    expect(isoTime(10n ** 30n)).toBe(String(10n ** 30n))
    expect(formatMoment(-1n)).toBe("-1")
  })

  it.each([
    [-5_000, "now"],
    [999, "now"],
    [59_999, "59 s"],
    [3_599_999, "59 m"],
    [86_399_999, "23 h"],
    [86_400_000 * 400, "400 d"],
  ])("of %i ms ago reads %s", (age, text) => {
    expect(plain(formatAge(age))).toBe(text)
  })
})

describe("an age within a sentence", () => {
  it.each([
    [999, "just now"],
    [3_599_999, "59 m ago"],
  ])("of %i ms reads %s", (age, text) => {
    expect(plain(formatAgo(age))).toBe(text)
  })
})

describe("text from outside", () => {
  it.each([
    ["\u202Egnp.exe", "\\u{202e}gnp.exe"],
    ["a\u200Bb\uFEFF", "a\\u{200b}b\\u{feff}"],
    ["\u001B[31mred\u0000", "\\u{1b}[31mred\\u{0}"],
    ["\u2066x\u2069", "\\u{2066}x\\u{2069}"],
    ["tag\u{E0041}", "tag\\u{e0041}"],
    ["line\u2028break", "line\\u{2028}break"],
    ["half \uD800 character", "half \\u{d800} character"],
  ])("%o shows what would be unseen as %o", (text, shown) => {
    expect(shownText(text)).toBe(shown)
  })

  it("keeps accents, emoji sequences, other scripts, tabs and line breaks", () => {
    const text = "naïve 👩‍👩‍👧 עברית العربية\n\t日本"
    expect(shownText(text)).toBe(text)
  })

  it("as a name is one line, never empty, and of bounded length", () => {
    expect(shownName("a\n\n  b\tc")).toBe("a b c")
    expect(shownName("  \n ")).toBe("(no name)")
    expect(shownName("x".repeat(1_000_000)).length).toBeLessThan(400)
  })
})

describe("colours of services", () => {
  it("differ for up to twelve services, in any order", () => {
    const names = Array.from({ length: 12 }, (_, i) => `service-${i}`)
    const colours = serviceColours(names)
    expect(new Set(colours.values()).size).toBe(12)
    expect(serviceColours(names.toReversed())).toEqual(colours)
  })

  it("are assigned to any number of services", () => {
    const colours = serviceColours(Array.from({ length: 500 }, (_, i) => `s${i}`))
    expect(colours.size).toBe(500)
    expect([...colours.values()].every((colour) => colour >= 0 && colour < 12)).toBe(true)
  })
})

describe("a time zone", () => {
  const winter = Date.UTC(2026, 0, 31, 12)
  const summer = Date.UTC(2026, 6, 31, 12)

  it.each([
    ["UTC", winter, "2026-01-31 12:00:00.000 UTC"],
    ["Europe/Berlin", winter, "2026-01-31 13:00:00.000 UTC+1"],
    ["Europe/Berlin", summer, "2026-07-31 14:00:00.000 UTC+2"],
    ["America/St_Johns", winter, "2026-01-31 08:30:00.000 UTC−3:30"],
    ["Asia/Kolkata", winter + 12 * 3_600_000, "2026-02-01 05:30:00.000 UTC+5:30"],
  ])("%s is that of a moment, with its distance from UTC at that time", (zone, at, text) => {
    expect(formatMoment(BigInt(at) * 1_000_000n, zone)).toBe(text)
  })

  it.each(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"])(
    "%s reads back what it wrote, also around a change of the clocks",
    (zone) => {
      for (let at = Date.UTC(2026, 2, 28); at < Date.UTC(2026, 3, 1); at += 1_800_000)
        expect(momentInZone(zonedText(at, zone).replace(" ", "T"), zone)).toBe(at)
      expect(momentInZone("soon", zone)).toBeNaN()
    },
  )

  it.each(["Mars/Olympus", "", "UTC; Path=/", "x".repeat(100), undefined])("%j is none, so times are UTC", (text) => {
    expect(zoneOf(text)).toBe("UTC")
  })

  it.each([
    ["invalid names", (i: number) => `Mars/Crater_${i}`],
    [
      "offsets from UTC",
      (i: number) => `+${String(Math.floor(i / 60)).padStart(2, "0")}${String(i % 60).padStart(2, "0")}`,
    ],
  ])("is known also after cookies with a thousand %s", (_name, nth) => {
    for (let i = 1; i <= 1_100; i += 1) zoneOf(nth(i))
    expect(zoneOf("Africa/Nairobi")).toBe("Africa/Nairobi")
    expect(zonedText(winter, "Africa/Nairobi")).toBe("2026-01-31 15:00:00")
  })
})
