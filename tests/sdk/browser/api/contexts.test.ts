import { readFileSync } from "node:fs"
import { isSpanContextValid, ROOT_CONTEXT as THEIR_ROOT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { suppressTracing } from "@opentelemetry/core"
import { expect, test } from "vitest"
import * as ours from "#otel/sdk/browser/api/contexts.ts"
import { API_VERSION } from "#otel/sdk/browser/api/register.ts"
import { newSpanId, newTraceId } from "#otel/sdk/browser/recorder/ids.ts"
import { isValidContext } from "#otel/sdk/valid-context.ts"

const ids = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 }
const span = trace.wrapSpanContext(ids)

test("a context of the page and one of OpenTelemetry's API are read and changed by the functions of both", () => {
  for (const root of [ours.ROOT_CONTEXT, THEIR_ROOT]) {
    const byUs = ours.withSpan(root, span)
    const byThem = trace.setSpan(root, span)
    for (const context of [byUs, byThem]) {
      expect([ours.spanOf(context), trace.getSpan(context)]).toEqual([span, span])
      expect([ours.spanContextOf(context), trace.getSpanContext(context)]).toEqual([ids, ids])
      for (const without of [ours.withoutSpan(context), trace.deleteSpan(context)])
        expect([ours.spanOf(without), trace.getSpan(without)]).toEqual([undefined, undefined])
    }
    expect([ours.isSuppressed(byUs), ours.isSuppressed(suppressTracing(byUs))]).toEqual([false, true])
    const key = Symbol("of the app")
    const kept = ours.withoutSpan(byUs.setValue(key, 1))
    expect([kept.getValue(key), kept.deleteValue(key).getValue(key)]).toEqual([1, undefined])
  }
})

test("ids are valid by the rules of OpenTelemetry's API", () => {
  const traceIds = [
    ids.traceId,
    "A".repeat(32),
    "0".repeat(32),
    `${"0".repeat(31)}1`,
    "a".repeat(31),
    "g".repeat(32),
    "",
  ]
  const spanIds = [ids.spanId, "B".repeat(16), "0".repeat(16), `1${"0".repeat(15)}`, "b".repeat(17), "x".repeat(16), ""]
  for (const traceId of traceIds)
    for (const spanId of spanIds)
      expect(isValidContext({ ...ids, traceId, spanId }), `${traceId}-${spanId}`).toBe(
        isSpanContextValid({ ...ids, traceId, spanId }),
      )
  const made = Array.from({ length: 500 }, () => ({ traceId: newTraceId(), spanId: newSpanId(), traceFlags: 1 }))
  expect(made.filter((each) => !isSpanContextValid(each))).toEqual([])
  expect(new Set(made.flatMap(({ traceId, spanId }) => [traceId, spanId])).size).toBe(1_000)
})

test("version and enums are those of the package", () => {
  const { version } = JSON.parse(readFileSync("node_modules/@opentelemetry/api/package.json", "utf8"))
  expect(API_VERSION).toBe(version)
  expect([ours.KIND_INTERNAL, ours.KIND_CLIENT]).toEqual([SpanKind.INTERNAL, SpanKind.CLIENT])
  expect([ours.STATUS_UNSET, ours.STATUS_OK, ours.STATUS_ERROR]).toEqual([
    SpanStatusCode.UNSET,
    SpanStatusCode.OK,
    SpanStatusCode.ERROR,
  ])
})
