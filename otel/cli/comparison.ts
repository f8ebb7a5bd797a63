import { CommandError, EXIT } from "./exit.ts"

/** How many are expected, both ends included. */
export interface Comparison {
  readonly least: number
  /** `Infinity` where more do no harm. */
  readonly most: number
  readonly text: string
}

const COMPARISON = /^\s*(?:(?<operator>>=|<=|>|<|==?)\s*)?(?<number>\d+)\s*$/
const RANGE = /^\s*(?<least>\d+)\s*\.\.\s*(?<most>\d+)\s*$/
const DURATION = /^\s*(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|us|µs|s|m)\s*$/
const UNIT_NANOS: Readonly<Record<string, number>> = { us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9 }

/** @throws {CommandError} on what is no count. */
export function parseComparison(text: string): Comparison {
  const range = RANGE.exec(text)?.groups
  if (range !== undefined) return { least: Number(range["least"]), most: Number(range["most"]), text }
  const { operator = "", number = "" } = COMPARISON.exec(text)?.groups ?? {}
  if (number === "")
    throw new CommandError(`--count is ${JSON.stringify(text)}: expected like '>=1', '0' or '3..5'`, EXIT.usage)
  const value = Number(number)
  switch (operator) {
    case ">=":
      return { least: value, most: Infinity, text }
    case ">":
      return { least: value + 1, most: Infinity, text }
    case "<=":
      return { least: 0, most: value, text }
    case "<":
      return { least: 0, most: value - 1, text }
    default:
      return { least: value, most: value, text }
  }
}

/**
 * @returns nanoseconds.
 * @throws {CommandError} on what is no length of time.
 */
export function parseDuration(text: string, option: string): number {
  const { number, unit = "" } = DURATION.exec(text)?.groups ?? {}
  if (number === undefined)
    throw new CommandError(
      `${option} is ${JSON.stringify(text)}: expected a time with its unit, like 500ms or 10s`,
      EXIT.usage,
    )
  return Number(number) * (UNIT_NANOS[unit] ?? 1)
}
