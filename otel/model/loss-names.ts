import { LOSS_CATEGORIES, LOSS_REASONS, type LossCategory, type LossReason } from "./loss.ts"

/** Losses as others tell them: by names that may be foreign, which are then counted under the nearest of ours. */

const REASONS: ReadonlySet<string> = new Set(LOSS_REASONS)
const CATEGORIES: ReadonlySet<string> = new Set(LOSS_CATEGORIES)

export function isLossReason(name: string): name is LossReason {
  return REASONS.has(name)
}

export function isLossCategory(name: string): name is LossCategory {
  return CATEGORIES.has(name)
}

/** A reason that we have no name for is still a loss. */
export function lossReason(name: string): LossReason {
  return isLossReason(name) ? name : "internal_sdk_error"
}

export function lossCategory(name: string): LossCategory {
  return isLossCategory(name) ? name : "unknown"
}

const ITEM_CATEGORIES: ReadonlyMap<string, LossCategory> = new Map([
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
 * The category of an envelope's item, by its type.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelope-items/
 */
export function categoryOfItem(type: string): LossCategory {
  return ITEM_CATEGORIES.get(type) ?? "unknown"
}
