import type { DropStage } from "#otel/inspector/queries/records.ts"

/** Where on the way, for people. */
export const STAGE_NAMES: Readonly<Record<DropStage, string>> = {
  page: "in the page",
  server: "in the server",
  bridge: "on the way to Sentry's form",
  tunnel: "in the tunnel",
  handler: "at the handler",
  queue: "in the queue",
  store: "in the store",
  forward: "being forwarded",
}
