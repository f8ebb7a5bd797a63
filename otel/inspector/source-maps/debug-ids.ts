import type { ErrorEvent } from "../../protocol/records/error.ts"
import type { DebugIds } from "./frame-mapper.ts"

interface DebugImage {
  readonly code_file?: unknown
  readonly debug_id?: unknown
}

/** The debug ids of an event's scripts by their file, as its SDK named them. */
export function debugIdsOf({ context }: Pick<ErrorEvent, "context">): DebugIds {
  if (context === "") return {}
  const { debug_meta } = JSON.parse(context) as { debug_meta?: { images?: readonly DebugImage[] } }
  const named = (debug_meta?.images ?? []).filter(
    ({ code_file, debug_id }) => typeof code_file === "string" && typeof debug_id === "string",
  )
  return Object.fromEntries(named.map(({ code_file, debug_id }) => [code_file, String(debug_id).toLowerCase()]))
}
