import { describe, expect, test } from "vitest"
import { clientReportDrops } from "#otel/protocol/sentry/read-client-report.ts"

describe("a client report", () => {
  test.each<[string, string, unknown[]]>([
    ["nothing", "{}", []],
    ["invalid JSON", "x", []],
    ["another value than a list", '{"discarded_events":{}}', []],
    [
      "foreign names",
      '{"discarded_events":[{"reason":"new","category":"hologram","quantity":2}]}',
      ["internal_sdk_error/unknown=2"],
    ],
    ["an invalid quantity", '{"discarded_events":[{"reason":"ignored","category":"error","quantity":-2}]}', []],
    [
      "known names",
      '{"discarded_events":[null,{"reason":"sample_rate","category":"span","quantity":7}]}',
      ["sample_rate/span=7"],
    ],
  ])("with %s is read", (_, text, drops) => {
    const read = clientReportDrops(Buffer.from(text))
    expect(read.map(({ reason, category, count }) => `${reason}/${category}=${count}`)).toEqual(drops)
  })
})
