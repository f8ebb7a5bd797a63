import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { expect, test } from "vitest"
import { SecretPath, withoutSecretPaths } from "#otel/sdk/browser/roots/secret-path.ts"
import { PAGE_QUEUE_SPAN_LIMIT } from "#otel/protocol/limits.ts"

const spanOf = (attributes: Record<string, unknown>) => ({ attributes }) as unknown as ReadableSpan

test("spans before and after a page is shown lose its secret, those of other pages keep their path", () => {
  const paths = new SecretPath()
  const root = spanOf({ "url.path": "/neu/quiet" })
  const early = spanOf({ "url.full": "https://shop.example/neu/quiet?_rsc=1", "http.response.status_code": 200 })
  const late = spanOf({ "url.full": "https://shop.example/neu/quiet" })
  paths.begin(root)
  paths.started(early)
  paths.shown("/neu/quiet", "/neu/[Filtered]")
  paths.started(late)
  expect([root, early, late].map(({ attributes }) => attributes)).toEqual([
    { "url.path": "/neu/[Filtered]" },
    { "url.full": "https://shop.example/neu/[Filtered]?_rsc=1", "http.response.status_code": 200 },
    { "url.full": "https://shop.example/neu/[Filtered]" },
  ])
  const other = spanOf({ "url.path": "/news/1" })
  paths.begin(other)
  paths.shown("/news/1", "/news/1")
  expect(other.attributes["url.path"]).toBe("/news/1")
})

test("a page that is never shown holds as many spans as it queues, the newest", () => {
  const paths = new SecretPath()
  const spans = Array.from({ length: PAGE_QUEUE_SPAN_LIMIT + 1 }, () => spanOf({ "url.path": "/neu/held" }))
  paths.begin(spanOf({}))
  for (const each of spans) paths.started(each)
  paths.shown("/neu/held", "/neu/[Filtered]")
  expect(spans.filter(({ attributes }) => attributes["url.path"] === "/neu/held")).toEqual([spans[0]])
})

test("a long visit remembers the latest hundred paths with secrets", () => {
  const paths = new SecretPath()
  for (let index = 100; index < 201; index++) paths.shown(`/neu/visit-${index}`, "/neu/[Filtered]")
  expect(withoutSecretPaths("/neu/visit-200")).toBe("/neu/[Filtered]")
  expect(withoutSecretPaths("/neu/visit-101")).toBe("/neu/[Filtered]")
  expect(withoutSecretPaths("/neu/visit-100")).toBe("/neu/visit-100")
})
