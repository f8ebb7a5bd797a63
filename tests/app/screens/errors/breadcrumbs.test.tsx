import { renderToString } from "react-dom/server"
import { afterEach, expect, it, vi } from "vitest"
import { ZoneProvider } from "#app/_ui/format/use-zone.tsx"
import { Breadcrumbs } from "#app/errors/[issueId]/_event/breadcrumbs.tsx"

afterEach(() => vi.unstubAllEnvs())

function times(timestamps: readonly unknown[], zone: string): (string | undefined)[] {
  const crumbs = timestamps.map((timestamp) => ({ timestamp, message: "clicked" }))
  const html = renderToString(
    <ZoneProvider zone={zone}>
      <Breadcrumbs crumbs={crumbs} />
    </ZoneProvider>,
  )
  return [...html.matchAll(/<time[^>]*>([^<]*)/g)].map(([, text]) => text)
}

const NOON = Date.UTC(2026, 0, 31, 12) / 1_000

it("the times of breadcrumbs are in the zone that the visitor chose", () => {
  expect(times([NOON + 0.25, "2026-01-31T12:00:01.5Z"], "UTC")).toEqual(["12:00:00.250", "12:00:01.500"])
  expect(times([NOON + 0.25, "2026-01-31T12:00:01.5Z"], "Europe/Berlin")).toEqual(["13:00:00.250", "13:00:01.500"])
})

it("a time of a breadcrumb without a zone is in UTC, wherever the server is", () => {
  vi.stubEnv("TZ", "America/New_York")
  expect(times(["2026-01-31T12:00:00", "2026-01-31 12:00:00.123456", "soon", undefined], "UTC")).toEqual([
    "12:00:00.000",
    "12:00:00.123",
    "–",
    "–",
  ])
})
