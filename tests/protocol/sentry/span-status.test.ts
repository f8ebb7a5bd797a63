import { describe, expect, test } from "vitest"
import { decode, item, ROOT_ID, TRACE_ID, transaction } from "./envelopes.ts"

type Given = readonly [op: "http.server" | "http.client" | "pageload", httpStatus: number | undefined, word: string]

function ofTransaction([op, httpStatus, status]: Given) {
  const trace = { trace_id: TRACE_ID, span_id: ROOT_ID, op, status }
  const data = httpStatus === undefined ? {} : { "http.response.status_code": httpStatus }
  const contexts = { trace: { ...trace, data } }
  return decode(item("transaction", transaction({ contexts, spans: [] }))).spans[0]?.status
}

/** The second protocol has Sentry's word in an attribute. */
function ofSpanItem([op, httpStatus, word]: Given) {
  const text = (value: string) => ({ type: "string", value })
  const span = {
    name: "GET /",
    trace_id: TRACE_ID,
    span_id: ROOT_ID,
    start_timestamp: 1_795_197_401,
    end_timestamp: 1_795_197_402,
    status: "error",
    attributes: {
      "sentry.op": text(op),
      "sentry.status.message": text(word),
      "http.response.status_code": { type: "integer", value: httpStatus },
    },
  }
  return decode(item("span", { version: 2, items: [span] }, { item_count: 1 })).spans[0]?.status
}

describe.each([
  ["a transaction", ofTransaction],
  ["a span item", ofSpanItem],
])("the status of %s", (_what, statusOf) => {
  test.each<Given>([
    ["http.server", 400, "invalid_argument"],
    ["http.server", 404, "not_found"],
    ["http.server", 429, "resource_exhausted"],
    ["pageload", 404, "not_found"],
    ["pageload", 401, "unauthenticated"],
  ])("of %s whose answer is %i is unset, as in OTLP: the error is its client's", (...given) => {
    expect(statusOf(given)).toEqual({ code: "unset", message: "" })
  })

  test.each<Given>([
    ["http.client", 404, "not_found"],
    ["http.server", 500, "internal_error"],
    ["http.server", 404, "internal_error"],
    ["http.server", undefined, "not_found"],
    ["pageload", 404, "internal_error"],
  ])("of %s with HTTP status %s and %s is an error", (...given) => {
    expect(statusOf(given)).toEqual({ code: "error", message: given[2] })
  })
})
