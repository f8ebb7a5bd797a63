import type { LossStage } from "#otel/model/loss.ts"

/** Where on the way, for people. */
export const STAGE_NAMES: Readonly<Record<LossStage, string>> = {
  page: "in the page",
  server: "in the server",
  bridge: "on the way to Sentry's form",
  tunnel: "in the tunnel",
  door: "at the door",
  queue: "in the queue",
  store: "in the store",
  forward: "being forwarded",
}
