import type { Nanoseconds } from "./time.ts"

/** Where a record was dropped, from page to forwarding. */
export const DROP_STAGES = ["page", "server", "bridge", "tunnel", "ingest", "queue", "store", "forward"] as const
export type DropStage = (typeof DROP_STAGES)[number]

/**
 * Who counted a drop: `inspector` for what the inspector's own process measured, its server, bridge and tunnel included;
 * `client` for what a page or a program reports, whose numbers nobody can check.
 */
export type DropSender = "client" | "inspector"

/** Stages that run in an observed app. Of their drops, those without a sender were stored before senders were: a client's. */
export const CLIENT_STAGES: readonly DropStage[] = ["page", "server", "bridge", "tunnel"]

/**
 * Why a record was dropped. The first group are the reasons of Sentry's client reports, under Sentry's names; the second
 * group are Pagespan's.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
export const DROP_REASONS = [
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
  "expired",
  "filter_failed",
  "foreign_dsn",
  "foreign_host",
  "foreign_identity",
  "foreign_origin",
  "framework_signal",
  "limit_attributes",
  "limit_spans",
  "malformed",
  "noisy_error",
  "not_found_trace",
  "page_left",
  "rate_limited",
  "store_unavailable",
  "too_large",
  "unauthorized",
  "unsupported",
] as const
export type DropReason = (typeof DROP_REASONS)[number]

/** Sentry's data categories. */
export const DROP_CATEGORIES = [
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
export type DropCategory = (typeof DROP_CATEGORIES)[number]

/** Data that was filtered, sampled out, cut, refused, overflowed, rate-limited, expired or failed. */
export interface DropRecord {
  readonly time: Nanoseconds
  readonly stage: DropStage
  readonly sender: DropSender
  readonly reason: DropReason
  readonly category: DropCategory
  /** How many records, at least 1. */
  readonly count: number
  /** A short example of what was dropped, without secrets. Empty when nothing is safe to show. */
  readonly sample: string
}

const REASONS: ReadonlySet<string> = new Set(DROP_REASONS)
const CATEGORIES: ReadonlySet<string> = new Set(DROP_CATEGORIES)

export function isDropReason(name: string): name is DropReason {
  return REASONS.has(name)
}

export function isDropCategory(name: string): name is DropCategory {
  return CATEGORIES.has(name)
}

/** Reasons that an earlier version wrote under another name: to its journal, and to the store. */
const RENAMED_REASONS: ReadonlyMap<string, DropReason> = new Map([["not_kept", "unsupported"]])

/** The reason with this name, or with this earlier name. An unknown reason counts as `internal_sdk_error`. */
export function dropReason(name: string): DropReason {
  return isDropReason(name) ? name : (RENAMED_REASONS.get(name) ?? "internal_sdk_error")
}

export function dropCategory(name: string): DropCategory {
  return isDropCategory(name) ? name : "unknown"
}

const ITEM_CATEGORIES: ReadonlyMap<string, DropCategory> = new Map([
  ["event", "error"],
  ["transaction", "transaction"],
  ["span", "span"],
  ["log", "log_item"],
  ["session", "session"],
  ["sessions", "session"],
  ["attachment", "attachment"],
  ["check_in", "monitor"],
  ["feedback", "feedback"],
  ["trace_metric", "metric"],
  ["client_report", "internal"],
  ["user_report", "default"],
])

/**
 * The category of an envelope item, by its type.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelope-items/
 */
export function categoryOfItem(type: string): DropCategory {
  return ITEM_CATEGORIES.get(type) ?? "unknown"
}

/** More than an envelope of Relay's maximum size can hold. */
const QUANTITY_LIMIT = 100_000

/** Number of records of an item: `item_count` in the header of a span or log container, else 1. */
export function quantityOfItem(itemCount: unknown): number {
  const isRecorded = typeof itemCount === "number" && Number.isInteger(itemCount) && itemCount > 0
  return isRecorded ? Math.min(itemCount, QUANTITY_LIMIT) : 1
}

/** A drop without time, stage and sender, which the handler adds. */
export type DropCount = Pick<DropRecord, "reason" | "category" | "count" | "sample">

/** Adds up drops of one request by reason and category, with the first sample of each. */
export class DropTally {
  readonly #counts = new Map<string, { -readonly [Key in keyof DropCount]: DropCount[Key] }>()

  add(reason: DropReason, category: DropCategory, sample: string, count = 1): void {
    const key = `${reason} ${category}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { reason, category, count, sample })
    else known.count += count
  }

  addAll(drops: readonly DropCount[]): void {
    for (const { reason, category, sample, count } of drops) this.add(reason, category, sample, count)
  }

  list(): DropCount[] {
    return [...this.#counts.values()]
  }
}
