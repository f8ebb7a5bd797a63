import { shownName } from "#app/ui/shown-text.ts"

/** @see https://develop.sentry.dev/sdk/data-model/envelope-items/ */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["event", "Event"],
  ["transaction", "Transaction"],
  ["attachment", "Attachment"],
  ["feedback", "User feedback"],
  ["user_report", "User feedback"],
  ["check_in", "Check-in"],
  ["session", "Session"],
  ["sessions", "Sessions"],
  ["replay_event", "Replay"],
  ["replay_recording", "Replay recording"],
  ["replay_video", "Replay video"],
  ["profile", "Profile"],
  ["profile_chunk", "Profile chunk"],
  ["trace_metric", "Metrics"],
  ["statsd", "Metrics"],
])

/** What a kind of item is called; the type itself, where it is not known. */
export function itemName(type: string): string {
  return NAMES.get(type) ?? shownName(type)
}
