import type { ErrorEvent } from "../../../protocol/records/error.ts"

type Reach = { UserId: string; SessionId: string; Handled: "" | "yes" | "no" }

/** What of a user tells one from another, the surest first. */
const USER_FIELDS = ["id", "email", "username", "ip_address"] as const
/** Half of a character, which the engine refuses with all rows beside it; also what a cut leaves of one. */
const LONE = /\p{Surrogate}/gu
/** Text longer than this is no id. */
const ID_LIMIT = 256

/** Whom an error met, in columns that can be counted: Sentry's user, the conventions' `user.id` and `session.id`. */
export function reachOf({ context, tags, exceptions }: ErrorEvent): Reach {
  const told = parsed(context)
  const user = objectAt(told, "user")
  const trace = objectAt(objectAt(objectAt(told, "contexts"), "trace"), "data")
  const handled = exceptions.map(({ mechanism }) => mechanism?.handled).find((known) => known !== undefined)
  return {
    UserId: idText(...USER_FIELDS.map((field) => user[field]), tags.get("user.id"), tags.get("enduser.id")),
    SessionId: idText(tags.get("session.id"), trace["session.id"]),
    Handled: handled === undefined ? "" : handled ? "yes" : "no",
  }
}

function idText(...values: readonly unknown[]): string {
  const found = values.find((value) => (typeof value === "string" && value !== "") || typeof value === "number")
  return found === undefined ? "" : String(found).slice(0, ID_LIMIT).replace(LONE, "\uFFFD")
}

function objectAt(parent: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

/** Our own JSON text of an object, or nothing. */
function parsed(text: string): Record<string, unknown> {
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
}
