import type { DropStage } from "#otel/inspector/queries/records.ts"

/** Display names of the stages. */
export const STAGE_NAMES: Readonly<Record<DropStage, string>> = {
  page: "in the browser SDK",
  server: "in the server SDK",
  bridge: "in the Sentry bridge",
  tunnel: "in the tunnel",
  ingest: "at ingest",
  queue: "in the queue",
  store: "in the store",
  forward: "while forwarding",
}
