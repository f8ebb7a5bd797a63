import { expect, test } from "vitest"
import { listItems } from "#otel/inspector/api/items.ts"
import { getSpan } from "#otel/inspector/api/spans.ts"
import { getTrace, searchSpans } from "#otel/inspector/api/traces.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"

type Handler = (inspector: Inspector, request: Request) => Promise<Response>

const TRACE_ID = "ab".repeat(16)
const ZEROS = "0".repeat(32)
const NO_TRACE_ID = "A trace id has 32 hexadecimal digits, not all of them zero."
const NO_SPAN_ID = "A span id has 16 hexadecimal digits, not all of them zero."

const REFUSALS: readonly (readonly [query: string, handler: Handler, message: string])[] = [
  ["", (inspector, request) => getTrace(inspector, request, ZEROS), NO_TRACE_ID],
  ["", (inspector, request) => getSpan(inspector, request, TRACE_ID, ZEROS.slice(16)), NO_SPAN_ID],
  [`?trace=${ZEROS}&span=${"cd".repeat(8)}`, listItems, NO_TRACE_ID],
  [`?trace=${TRACE_ID}&span=${ZEROS.slice(16)}`, listItems, `span has no valid id. ${NO_SPAN_ID}`],
  [
    "?q=status%3Derror",
    (inspector, request) => searchSpans(inspector, request, TRACE_ID),
    "q has no term of the form attribute=value. Terms of name, service, kind, status and duration match the waterfall instead.",
  ],
]

test("an id of zeros, and a search without an attribute, are refused with what is expected instead", async () => {
  const { inspector } = await startWithoutStore()
  for (const [query, handler, message] of REFUSALS) {
    const request = new Request(`http://localhost/${query}`, { headers: { host: "localhost" } })
    const response = await handler(inspector, request)
    expect([response.status, await response.json()]).toEqual([400, { message }])
  }
})
