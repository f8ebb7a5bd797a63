import { expect, test } from "vitest"
import type { EgressAnswer } from "#otel/inspector/forward/egress.ts"
import { secret } from "#otel/protocol/secret.ts"
import { splitEnvelope } from "#otel/protocol/sentry/split-envelope.ts"
import { envelopeText } from "../../sdk/tunnel/tunnel-runtime.ts"
import { answered, forwarder } from "./forwarder-under-test.ts"

const ERRORS_LIMITED = answered(200, { "x-sentry-rate-limits": "60:error:organization" })
const EVENT = Buffer.from(envelopeText({}, ["event", { message: "boom" }]))
const BOTH = Buffer.from(envelopeText({}, ["event", { message: "boom" }], ["transaction", { transaction: "a" }]))

/** Sentry limits errors for a minute, and then gives these answers. @returns the items of each request, and the drops. */
async function whileLimited(...answers: readonly EgressAnswer[]) {
  const { offer, close, sent, dropped, settled } = await forwarder(
    { otlp: [], sentry: secret("http://k@s.example/1") },
    (_, attempt) => [ERRORS_LIMITED, ...answers][attempt - 1] ?? answered(200),
  )
  offer({ envelope: EVENT })
  offer({ envelope: BOTH })
  await settled()
  expect(sent).toHaveLength(answers.length + 1)
  // The file of a delivery is gone a moment before its drops are counted.
  await close()
  const types = sent.map(({ body }) => {
    const envelope = splitEnvelope(body)
    return envelope.ok ? envelope.items.map(({ type }) => type).join(" ") : "malformed"
  })
  return { types: types.slice(1), dropped: dropped() }
}

test("an item that Sentry limits is counted once, however often the others of its envelope are sent", async () => {
  const failed = answered(503)
  expect(await whileLimited(failed, failed, { outcome: "failed" }, answered(200))).toEqual({
    types: ["transaction", "transaction", "transaction", "transaction"],
    dropped: ["ratelimit_backoff/error=1"],
  })
})

test("an item whose limit ends before its envelope arrives is sent, and not counted as dropped", async () => {
  expect(await whileLimited(answered(503, { "retry-after": "61" }), answered(200))).toEqual({
    types: ["transaction", "event transaction"],
    dropped: [],
  })
})

test("of a refused envelope, each item is counted by its own category, and a limited one as limited", async () => {
  expect(await whileLimited(answered(400))).toEqual({
    types: ["transaction"],
    dropped: ["ratelimit_backoff/error=1", "send_error/transaction=1"],
  })
})

test("an envelope for an address that is not allowed is counted by the categories of its items", async () => {
  expect(await whileLimited({ outcome: "refused" })).toEqual({
    types: ["transaction"],
    dropped: ["ratelimit_backoff/error=1", "foreign_host/transaction=1"],
  })
})
