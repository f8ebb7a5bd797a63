import { describe, expect, test } from "vitest"
import { decode, item, ROOT_ID, TRACE_ID, transaction } from "./envelopes.ts"

type Given = readonly [kind: "server" | "client", httpStatus: number | undefined, word: string]

function ofTransaction([kind, httpStatus, status]: Given) {
  const trace = { trace_id: TRACE_ID, span_id: ROOT_ID, op: `http.${kind}`, status }
  const data = httpStatus === undefined ? {} : { "http.response.status_code": httpStatus }
  const contexts = { trace: { ...trace, data } }
  return decode(item("transaction", transaction({ contexts, spans: [] }))).spans[0]?.status
}

/** The second protocol has Sentry's word in an attribute. */
function ofSpanItem([kind, httpStatus, word]: Given) {
  const text = (value: string) => ({ type: "string", value })
  const span = {
    name: "GET /",
    trace_id: TRACE_ID,
    span_id: ROOT_ID,
    start_timestamp: 1_795_197_401,
    end_timestamp: 1_795_197_402,
    status: "error",
    attributes: {
      "sentry.op": text(`http.${kind}`),
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
    ["server", 400, "invalid_argument"],
    ["server", 404, "not_found"],
    ["server", 429, "resource_exhausted"],
  ])("of a %s that answers %i is unset, as in OTLP: the error is its client's", (...given) => {
    expect(statusOf(given)).toEqual({ code: "unset", message: "" })
  })

  test.each<Given>([
    ["client", 404, "not_found"],
    ["server", 500, "internal_error"],
    ["server", 404, "internal_error"],
    ["server", undefined, "not_found"],
  ])("of a %s with HTTP status %s and %s is an error", (...given) => {
    expect(statusOf(given)).toEqual({ code: "error", message: given[2] })
  })
})
