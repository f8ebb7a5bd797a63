import type { Argv } from "yargs"
import { localUrl } from "../protocol/transport/inspector-address.ts"
import { CommandError, EXIT } from "./exit.ts"

/** The inspector that a command connects to. */
export interface Connection {
  readonly url: string
  readonly token: string | undefined
}

/** The options of every command that connects to a running inspector. */
export function withConnection<Options>(parser: Argv<Options>): Argv<Options & Connection> {
  return parser
    .option("url", {
      type: "string",
      describe: "Address of the inspector",
      default: localUrl(),
      defaultDescription: "http://localhost:$PORT, else 4318",
    })
    .option("token", {
      type: "string",
      describe: "Its token; safer as the variable PAGESPAN_TOKEN",
      default: process.env["PAGESPAN_TOKEN"],
      defaultDescription: "$PAGESPAN_TOKEN",
    }) as Argv<Options & Connection>
}

/** An expected count. Both bounds are inclusive. */
export interface Comparison {
  readonly least: number
  /** `Infinity` without an upper bound. */
  readonly most: number
  readonly text: string
}

const COMPARISON = /^\s*(?:(?<operator>>=|<=|>|<|==?)\s*)?(?<number>\d+)\s*$/
const RANGE = /^\s*(?<least>\d+)\s*\.\.\s*(?<most>\d+)\s*$/
const DURATION = /^\s*(?<number>\d+(?:\.\d+)?)\s*(?<unit>ms|us|µs|s|m)\s*$/
const UNIT_NANOS: Readonly<Record<string, number>> = { us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9 }

/** @throws {CommandError} on a text that is not a count. */
export function parseComparison(text: string): Comparison {
  const range = RANGE.exec(text)?.groups
  if (range !== undefined) return { least: Number(range["least"]), most: Number(range["most"]), text }
  const { operator = "", number = "" } = COMPARISON.exec(text)?.groups ?? {}
  if (number === "")
    throw new CommandError(`--count is ${JSON.stringify(text)}: expected a count like '>=1', '0' or '3..5'`, EXIT.usage)
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
 * @param option the name of the option, for the error.
 * @returns nanoseconds.
 * @throws {CommandError} on a text that is not a duration with a unit.
 */
export function parseDuration(text: string, option: string): number {
  const { number, unit = "" } = DURATION.exec(text)?.groups ?? {}
  if (number === undefined)
    throw new CommandError(
      `${option} is ${JSON.stringify(text)}: expected a duration with a unit, like 500ms or 10s`,
      EXIT.usage,
    )
  return Number(number) * (UNIT_NANOS[unit] ?? 1)
}

/**
 * @param option the name of the option, for the error.
 * @returns percent, from 0 to 100.
 * @throws {CommandError} on a text that is not a share in percent.
 */
export function parsePercent(text: string, option: string): number {
  const value = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text)?.[1]
  if (value !== undefined && Number(value) <= 100) return Number(value)
  throw new CommandError(`${option} is ${JSON.stringify(text)}: expected a share in percent, like 5%`, EXIT.usage)
}
