import type { Client } from "@sentry/core"

/** Events that were counted under a reason of ours, and which the client is about to count as `event_processor`. */
const expected = new WeakMap<Client, number>()

/** To be called where one of our processors drops an error event and counts it by itself. */
export function expectDrop(client: Client): void {
  expected.set(client, (expected.get(client) ?? 0) + 1)
}

/** Whether what the client counts now is such an event, which is then no longer expected. */
export function takeExpectedDrop(client: Client, reason: string, category: string): boolean {
  const count = expected.get(client) ?? 0
  if (reason !== "event_processor" || category !== "error" || count === 0) return false
  expected.set(client, count - 1)
  return true
}
