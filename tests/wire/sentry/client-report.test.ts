import { describe, expect, test } from "vitest"
import { clientReportLosses } from "#otel/wire/sentry/index.ts"

describe("a client report", () => {
  test.each<[string, string, unknown[]]>([
    ["nothing", "{}", []],
    ["no JSON", "x", []],
    ["no list", '{"discarded_events":{}}', []],
    [
      "foreign names",
      '{"discarded_events":[{"reason":"new","category":"hologram","quantity":2}]}',
      ["internal_sdk_error/unknown=2"],
    ],
    ["a quantity that is none", '{"discarded_events":[{"reason":"ignored","category":"error","quantity":-2}]}', []],
    [
      "known names",
      '{"discarded_events":[null,{"reason":"sample_rate","category":"span","quantity":7}]}',
      ["sample_rate/span=7"],
    ],
  ])("with %s", (_, text, losses) => {
    const read = clientReportLosses(Buffer.from(text))
    expect(read.map(({ reason, category, count }) => `${reason}/${category}=${count}`)).toEqual(losses)
  })
})
