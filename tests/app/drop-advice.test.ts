import type { Client, EventDropReason } from "@sentry/core"
import { expect, test } from "vitest"
import { ADVICE } from "#app/dropped/advice.ts"
import { watchClientDrops } from "#otel/sdk/sentry/client-reports.ts"

test("the advice for what Pagespan in another app reports of its 404 pages and browser noise says that they need no action", () => {
  const reported: EventDropReason[] = []
  const client = { recordDroppedEvent: (reason: EventDropReason) => void reported.push(reason) } as unknown as Client
  const report = watchClientDrops(client, () => undefined)
  report("not_found_trace", "transaction", 1)
  report("noisy_error", "error", 1)
  const [ofNotFound, ofNoise] = reported.map((reason) => ADVICE[reason as keyof typeof ADVICE].todo)
  expect(ofNotFound).toMatch(/^No action for 404 pages/)
  expect(ofNoise).toMatch(/^No action for .*browser noise/)
})
