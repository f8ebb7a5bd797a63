import { expect, test } from "vitest"
import { secret } from "#otel/model/secret.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { A, answered, forwarder, spans } from "./forwarder-under-test.ts"

const TEN_MINUTES_MS = 600_000
/** The longest wait, at the earliest that chance allows: a quarter before its time. */
const LEAST_WAIT_MS = 30_000 * 0.75

test("while its targets fail for ten minutes it asks no faster, and neither loses nor makes anything", async () => {
  const forwarding = await forwarder({ otlp: [A], sentry: secret("https://key@sentry.example/1") }, () => answered(503))
  const begun = forwarding.tick(0)
  forwarding.offer({ spans: spans(3) })
  await waitFor("ten minutes", () => forwarding.tick(0) - begun > 2 * TEN_MINUTES_MS)
  // Both destinations wait on one clock: each has had its ten minutes.
  const isLong = (wait: number) => wait >= LEAST_WAIT_MS
  expect(forwarding.waits.findLastIndex((wait) => !isLong(wait))).toBeLessThan(20)
  expect(forwarding.waits.filter(isLong).length).toBeGreaterThan(30)
  expect(forwarding.sent.length).toBeLessThanOrEqual(forwarding.waits.length + 2)
  expect(forwarding.losses).toEqual([])
  expect(forwarding.waiting()).toHaveLength(2)
  expect(new Set(forwarding.sent.map(({ body }) => String(body))).size).toBe(1)
})
