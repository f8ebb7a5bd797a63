import { FILTER_LENGTH_LIMIT, parseFilter, parseLogFilter } from "../../search/index.ts"
import { parseAge } from "../list/time-range.ts"

/** A filter of a screen under a name, for everyone who uses this inspector. */
export interface SavedFilter {
  /** 16 hexadecimal digits. */
  readonly id: string
  readonly name: string
  readonly screen: FilterScreen
  /** The query parameters of the screen that select and order its rows, such as `q` and `since`. */
  readonly parameters: Readonly<Record<string, string>>
  /** `undefined` for a filter that is not watched. */
  readonly watch?: Watch | undefined
}

/** A threshold. The watch trips while the measurement of its window is above it. */
export interface Watch {
  readonly measure: WatchMeasure
  /** A count, a share in percent for `failed`, milliseconds for `p95`. */
  readonly above: number
  /** The time until now that is measured, as an age such as `15m`. It replaces the time range of the filter. */
  readonly window: string
}

export const WATCH_MEASURES = ["count", "failed", "p95"] as const
export type WatchMeasure = (typeof WATCH_MEASURES)[number]

export const FILTER_SCREENS = ["traces", "logs", "errors"] as const
export type FilterScreen = (typeof FILTER_SCREENS)[number]

/** Parameters that a filter of each screen may hold. Positions in a list and page sizes are not part of a filter. */
export const FILTER_PARAMETERS: Readonly<Record<FilterScreen, readonly string[]>> = {
  traces: ["q", "since", "until", "sort", "own", "chart"],
  logs: ["q", "since", "until"],
  errors: ["q", "service", "level", "handled", "since", "until", "sort", "own"],
}

/** What can be measured of the rows of each screen. */
export const SCREEN_MEASURES: Readonly<Record<FilterScreen, readonly WatchMeasure[]>> = {
  traces: WATCH_MEASURES,
  logs: ["count"],
  errors: [],
}

/** Saved filters of an inspector. Each is a row of a list and an entry of the palette. */
export const SAVED_FILTER_LIMIT = 100
export const FILTER_NAME_LIMIT = 80
/** Watched filters: each is a query of the store at every interval. */
export const WATCH_LIMIT = 20
/** Characters of a parameter other than `q`. */
const PARAMETER_LIMIT = 256
/** Bounds of a window in milliseconds. The query of a longer one costs more than a watch may. */
const WINDOW_MS = { least: 10_000, most: 86_400_000 }

/** The parameters of an address that a saved filter of the screen holds. */
export function filterParameters(screen: FilterScreen, parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    FILTER_PARAMETERS[screen].flatMap((name) => {
      const value = parameters.get(name)?.trim()
      return value === undefined || value === "" ? [] : [[name, value]]
    }),
  )
}

/** The screen with the filter. */
function filterAddress({ screen, parameters }: SavedFilter): string {
  const query = new URLSearchParams(parameters)
  return query.size === 0 ? `/${screen}` : `/${screen}?${query}`
}

/** A saved filter as the read API and the screens have it. */
export interface SavedFilterJson extends Omit<SavedFilter, "watch"> {
  /** Path and query of the screen with the filter. */
  readonly address: string
  readonly watch: Watch | null
  /** The command that fails where the watch trips; `null` without a watch. */
  readonly assert: string | null
}

export function savedFilterToJson(filter: SavedFilter): SavedFilterJson {
  const { id, name, screen, parameters, watch } = filter
  const assert = assertCommand(filter) ?? null
  return { id, name, screen, parameters, address: filterAddress(filter), watch: watch ?? null, assert }
}

/** Why the filter cannot be saved, as a sentence; `undefined` when it can. */
export function filterProblem(filter: Omit<SavedFilter, "id">): string | undefined {
  const { name, screen, parameters, watch } = filter
  if (name.trim() !== name || name === "" || [...name].length > FILTER_NAME_LIMIT || /\p{Cc}/u.test(name))
    return `A filter's name has 1 to ${FILTER_NAME_LIMIT} characters on one line, without spaces around them.`
  for (const [key, value] of Object.entries(parameters)) {
    if (!FILTER_PARAMETERS[screen].includes(key))
      return `A filter of ${screen} has no parameter ${JSON.stringify(key.slice(0, 40))}.`
    if (value.length > (key === "q" ? FILTER_LENGTH_LIMIT : PARAMETER_LIMIT)) return `The parameter ${key} is too long.`
  }
  const problem = screen === "errors" ? undefined : parsed(screen, parameters["q"] ?? "")
  if (problem !== undefined) return `The filter is invalid: ${problem.message}.`
  return watch === undefined ? undefined : watchProblem(screen, watch)
}

function parsed(screen: "traces" | "logs", text: string) {
  return (screen === "traces" ? parseFilter(text) : parseLogFilter(text)).problem
}

function watchProblem(screen: FilterScreen, { measure, above, window }: Watch): string | undefined {
  if (!SCREEN_MEASURES[screen].includes(measure)) return `A filter of ${screen} has no measure ${measure} to watch.`
  if (!(above >= 0) || above === Infinity) return "A threshold is a number from 0."
  if (measure === "count" && !Number.isInteger(above)) return "The threshold of a count is a whole number."
  if (measure === "failed" && above >= 100) return "The threshold of a failed share is below 100 percent."
  const length = parseAge(window)
  if (length === undefined || length < WINDOW_MS.least || length > WINDOW_MS.most)
    return "The window of a watch is an age from 10s to 24h."
  return undefined
}

/** Whether a watch leaves out Pagespan's own traces: it does, unless the filter shows them. */
export function hidesInternal({ screen, parameters }: SavedFilter): boolean {
  return screen === "traces" && parameters["own"] !== "show"
}

/**
 * The command that fails where the watch trips, for a test or CI.
 *
 * @example `pagespan assert 'status:error' --own hide --since 15m --within 0s --count '<=3'`
 */
function assertCommand(filter: SavedFilter): string | undefined {
  const { screen, parameters, watch } = filter
  if (watch === undefined) return undefined
  const { measure, above, window } = watch
  const limit = {
    count: `--count '<=${above}'`,
    failed: `--count '>=0' --max-failed ${above}%`,
    p95: `--count '>=0' --max-p95 ${above}ms`,
  }[measure]
  const kind = screen === "logs" ? " --logs" : hidesInternal(filter) ? " --own hide" : ""
  return `pagespan assert ${shellQuoted(parameters["q"] ?? "")}${kind} --since ${window} --within 0s ${limit}`
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
