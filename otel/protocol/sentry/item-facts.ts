import type { ItemFact } from "../records/envelope-item.ts"
import { cutText, wellFormed } from "../records/value-limits.ts"
import { isObject, type JsonObject, listOf, objectOf } from "./json.ts"

/** The limit of one fact. Sentry's own limit for a feedback message is 4,096 characters. The payload has the full text. */
const FACT_LIMIT_BYTES = 16 * 1024

type Facts = readonly (readonly [name: string, value: unknown])[]

/**
 * The main facts of the known types of items.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelope-items/
 */
const KINDS: ReadonlyMap<string, (item: JsonObject) => Facts> = new Map([
  ["feedback", feedback],
  ["user_report", userReport],
  ["check_in", checkIn],
  ["session", session],
  ["sessions", sessions],
  ["replay_event", replay],
  ["profile", profile],
])

/** The facts that the item has, as short texts. */
export function itemFacts(type: string, header: JsonObject, item: JsonObject): ItemFact[] {
  const facts = KINDS.get(type)?.(item) ?? [["items", header["item_count"]]]
  return facts.flatMap(([name, value]): ItemFact[] => {
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
    return typeof text === "string" && text !== "" ? [[name, cutText(wellFormed(text), FACT_LIMIT_BYTES)]] : []
  })
}

/** @see https://develop.sentry.dev/sdk/telemetry/feedbacks/ */
function feedback({ contexts }: JsonObject): Facts {
  const { message, name, contact_email, url, source } = objectOf(objectOf(contexts)["feedback"])
  return [
    ["message", message],
    ["name", name],
    ["contact", contact_email],
    ["url", url],
    ["source", source],
  ]
}

/** The predecessor of feedback. */
function userReport({ comments, name, email }: JsonObject): Facts {
  return [
    ["message", comments],
    ["name", name],
    ["contact", email],
  ]
}

/** @see https://develop.sentry.dev/sdk/telemetry/check-ins/ */
function checkIn({ monitor_slug, status, duration, check_in_id, monitor_config }: JsonObject): Facts {
  const { type, value, unit } = objectOf(objectOf(monitor_config)["schedule"])
  return [
    ["monitor", monitor_slug],
    ["status", status],
    ["duration", seconds(duration)],
    ["schedule", [type, value, unit].filter((part) => typeof part === "string" || typeof part === "number").join(" ")],
    ["check-in", check_in_id],
  ]
}

/** @see https://develop.sentry.dev/sdk/telemetry/sessions/ */
function session({ sid, did, status, errors, duration, started }: JsonObject): Facts {
  return [
    ["status", status ?? "ok"],
    ["errors", errors],
    ["duration", seconds(duration)],
    ["started", started],
    ["session", sid],
    ["user", did],
  ]
}

/** Sessions that a server aggregated: the number for each kind of end. */
function sessions({ aggregates }: JsonObject): Facts {
  const groups = listOf(aggregates).filter(isObject)
  const sum = (key: string) =>
    groups.reduce((total, group) => total + (typeof group[key] === "number" ? (group[key] as number) : 0), 0)
  return ["exited", "errored", "abnormal", "crashed"].map((end) => [end, sum(end)])
}

function replay({ replay_id, segment_id, urls }: JsonObject): Facts {
  return [
    ["replay", replay_id],
    ["segment", segment_id],
    ["url", listOf(urls)[0]],
  ]
}

function profile({ transaction, platform }: JsonObject): Facts {
  return [
    ["transaction", objectOf(transaction)["name"]],
    ["platform", platform],
  ]
}

function seconds(value: unknown): string {
  return typeof value === "number" ? `${Number(value.toPrecision(4))} s` : ""
}
