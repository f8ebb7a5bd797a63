import type { DropRecord, DropReason, DropStage } from "../../../protocol/records/drop.ts"
import { safely } from "../../../protocol/safely.ts"
import { processState } from "../../process-state.ts"
import { isInspectorProcess } from "../local-inspector.ts"
import { warn } from "../warnings.ts"

/**
 * The log of drops in a server without an inspector, which would show them. It has a line for the first drop of a kind, and then
 * at most one a minute with the sum. A kind is a stage, a reason and a destination, so anybody's requests cause few lines.
 */

/** Where the dropped data was to go. */
export interface Destination {
  readonly name: "the collector" | "Sentry"
  /** Why it did not arrive, without secrets, like `401 from http://collector:4318/v1/traces`. */
  readonly cause?: string | undefined
}

interface LoggedDrop extends Pick<DropRecord, "stage" | "reason" | "category" | "count"> {
  readonly destination?: Destination | undefined
}

const INTERVAL_MS = 60_000

/** Reasons that the app's owner chose, and those for which the record itself was sent. */
const EXPECTED_REASONS: ReadonlySet<DropReason> = new Set<DropReason>([
  "before_send",
  "event_processor",
  "filter_failed",
  "foreign_identity",
  "framework_signal",
  "ignored",
  "limit_attributes",
  "no_parent_span",
  "noisy_error",
  "not_found_trace",
  "sample_rate",
])
/** Visitors leave pages and block requests, and anybody can report drops of a page. */
const UNLOGGED_STAGE: DropStage = "page"

/** By kind that was logged within the last minute: the sum since then, if there was a further drop. */
const state = processState<Map<string, LoggedDrop | undefined>>("unlogged-drops")

/** Logs a drop at once, or with the next line of its kind. Never throws. */
export function logDrop(drop: LoggedDrop): void {
  const { stage, reason, destination } = drop
  if (EXPECTED_REASONS.has(reason) || stage === UNLOGGED_STAGE || isInspectorProcess()) return
  const unlogged = (state.value ??= new Map())
  const kind = `${stage} ${reason} ${destination?.name ?? ""}`
  if (unlogged.has(kind)) {
    unlogged.set(kind, sumOf(unlogged.get(kind), drop))
    return
  }
  unlogged.set(kind, undefined)
  setTimeout(() => {
    const sum = unlogged.get(kind)
    unlogged.delete(kind)
    if (sum !== undefined) logDrop(sum)
  }, INTERVAL_MS).unref()
  write(drop)
}

/** Logs what waits for its minute to end. The process is about to end before that. */
export function logRemainingDrops(): void {
  const unlogged = state.value ?? new Map<string, LoggedDrop | undefined>()
  for (const [kind, sum] of unlogged) {
    if (sum === undefined) continue
    unlogged.set(kind, undefined)
    write(sum)
  }
}

function sumOf(sum: LoggedDrop | undefined, drop: LoggedDrop): LoggedDrop {
  if (sum === undefined) return drop
  const category = sum.category === drop.category ? drop.category : "default"
  return { ...drop, category, count: sum.count + drop.count }
}

function write(drop: LoggedDrop): void {
  safely(() => warn(lineOf(drop)))
}

function lineOf({ stage, reason, category, count, destination }: LoggedDrop): string {
  const noun = category === "span" || category === "error" || category === "transaction" ? category : "record"
  const records = `${count} ${noun}${count === 1 ? "" : "s"}`
  if (destination === undefined)
    return `${stage === "tunnel" ? "the tunnel" : "this server"} dropped ${records} (${reason})`
  const ofPages = stage === "tunnel" || stage === "forward" ? " of pages" : ""
  const { name, cause } = destination
  return `${records}${ofPages} did not reach ${name} (${reason}${cause === undefined ? "" : `: ${cause}`})`
}
