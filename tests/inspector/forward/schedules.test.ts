import { test } from "vitest"
import { tracesToJson } from "#otel/protocol/otlp/traces-json.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { answered, forwarder, spans, spansIn } from "./forwarder-under-test.ts"

const SCHEDULES = 1_000
const CONCURRENCY = 50

test(`every record is delivered or counted as dropped, over ${SCHEDULES} random schedules of faults`, async () => {
  for (let round = 0; round < SCHEDULES; round += CONCURRENCY)
    await Promise.all(Array.from({ length: CONCURRENCY }, schedule))
})

async function schedule(): Promise<void> {
  const bytes = JSON.stringify(tracesToJson(spans(3))).length
  const { offer, delivered, drops, settled } = await forwarder({ maxBytes: bytes * 6, maxAgeMs: 60_000 }, () => {
    const roll = Math.random()
    if (roll < 0.3) return { outcome: "failed" }
    return answered(roll < 0.5 ? 503 : roll < 0.6 ? 400 : 200)
  })
  let sent = 0
  for (let batch = 0; batch < 12; batch++) {
    const count = 1 + Math.floor(Math.random() * 3)
    sent += count
    offer({ spans: spans(count) })
    if (Math.random() < 0.3) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await settled()
  const sum = () =>
    delivered.reduce((total, request) => total + spansIn(request), 0) +
    drops.reduce((total, { count }) => total + count, 0)
  await waitFor("the sums to agree", () => sum() === sent)
}
