import { expect, test } from "vitest"
import type { ToolQueries } from "#otel/inspector/mcp/tool.ts"
import { getSpan } from "#otel/inspector/mcp/trace-tools.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan } from "#tests/inspector/queries/make-span.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"

/** Text that the SDK has not redacted: other SDKs send spans as well. */
const SHAPES = SECRET_SHAPES.filter(
  ([key, value]) =>
    (value !== SECRET || /(?:pass|secret|token|key|jwt|otp|sid|auth)/i.test(key)) && !key.startsWith("url."),
)

test.each(SHAPES)("get_span shows no secret of %s = %s", async (key, value) => {
  const span = makeSpan(1, {
    status: { code: "error", message: value === SECRET ? "" : value },
    attributes: new Map([[key, value]]),
    events: [{ time: nanoseconds(EPOCH), name: "exception", attributes: new Map([[key, value]]) }],
  })
  const queries = { span: async () => [span] } as unknown as ToolQueries
  const { text, structured } = await getSpan(queries, { traceId: span.traceId, spanId: span.spanId })
  expect(text).toContain(key)
  expect(text + JSON.stringify(structured)).not.toContain(SECRET)
})
