import type { Nanoseconds } from "./time.ts"

/** Where on the way a record was lost, in the order of the way. */
export const LOSS_STAGES = ["page", "server", "bridge", "tunnel", "door", "queue", "store", "forward"] as const
export type LossStage = (typeof LOSS_STAGES)[number]

/**
 * Why a record was lost. The first group are the reasons of Sentry's client reports under their own names, so that
 * reports pass through unchanged; the second are ours.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
export const LOSS_REASONS = [
  "before_send",
  "buffer_overflow",
  "callback_error",
  "event_processor",
  "ignored",
  "internal_sdk_error",
  "invalid",
  "network_error",
  "no_parent_span",
  "queue_overflow",
  "ratelimit_backoff",
  "sample_rate",
  "send_error",

  "bad_encoding",
  "bad_media_type",
  "consent_required",
  "expired",
  "foreign_dsn",
  "foreign_host",
  "foreign_origin",
  "framework_signal",
  "limit_attributes",
  "limit_spans",
  "malformed",
  "noisy_error",
  "not_found_trace",
  "not_kept",
  "own_traffic",
  "page_left",
  "store_unavailable",
  "too_large",
  "unauthorized",
] as const
export type LossReason = (typeof LOSS_REASONS)[number]

/** What kind of record was lost, by Sentry's data categories. */
export const LOSS_CATEGORIES = [
  "default",
  "error",
  "transaction",
  "span",
  "log_item",
  "session",
  "attachment",
  "monitor",
  "feedback",
  "metric",
  "internal",
  "unknown",
] as const
export type LossCategory = (typeof LOSS_CATEGORIES)[number]

/** Something that was filtered, sampled out, cut, refused, overflowed, rate-limited, expired or failed. Nothing vanishes without one. */
export interface LossRecord {
  readonly time: Nanoseconds
  readonly stage: LossStage
  readonly reason: LossReason
  readonly category: LossCategory
  /** How many records, at least 1. */
  readonly count: number
  /** A short human-readable example of what was lost; never holds a secret. Empty when there is nothing safe to show. */
  readonly sample: string
}
