import { type Operator, type TextToken, Unreadable } from "./tokens.ts"
import type { Range, TextTest } from "./tree.ts"

/** Parses values of terms, by the kind of the field. */

const UNIT_NANOS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3_600e9,
}
const DURATION = /^(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)$/
/** As the store reads numbers too: no spaces, no hexadecimal, no infinity. */
export const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** `5xx`: all whole numbers that begin with the digits given and are as long. */
const NUMBER_CLASS = /^(\d{1,4})([xX]{1,4})$/

/** `a*b` is a pattern, `*` alone matches anything; quoted text is literal. */
export function textTest({ text, isQuoted }: TextToken): TextTest {
  if (isQuoted || !text.includes("*")) return { is: "equal", text }
  return /^\*+$/.test(text) ? { is: "anything" } : { is: "pattern", pieces: text.split(/\*+/) }
}

/** For names and messages: a case-insensitive substring, or a pattern. */
export function proseTest(token: TextToken): TextTest {
  const test = textTest(token)
  return test.is === "equal" ? { is: "contains", text: test.text.toLowerCase() } : test
}

export function numberClass({ text, isQuoted }: TextToken): Range<number> | undefined {
  const [, digits, places] = (!isQuoted && NUMBER_CLASS.exec(text)) || []
  if (digits === undefined || places === undefined) return undefined
  const size = 10 ** places.length
  return { from: Number(digits) * size, to: (Number(digits) + 1) * size, toExcluded: true }
}

export function durationRange(operator: Operator, token: TextToken): Range<bigint> {
  return readRange(
    operator,
    token,
    (text) => {
      const [, number, unit = ""] = DURATION.exec(text) ?? []
      const nanos = Math.round(Number(number) * (UNIT_NANOS[unit] ?? 1))
      // Also what has more digits than a number holds.
      return Number.isFinite(nanos) ? BigInt(nanos) : undefined
    },
    "a duration with a unit, such as 500ms or 1.5s",
  )
}

export function numberRange(operator: Operator, token: TextToken): Range<number> {
  return readRange(operator, token, numberOf, "a number")
}

/** Whether the text is two numbers with dots between: `500..599`. */
export function isNumberRange({ text, isQuoted }: TextToken): boolean {
  const [from, to, more] = text.split("..")
  return !isQuoted && more === undefined && [from, to].every((end) => end !== undefined && NUMBER.test(end))
}

function numberOf(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined
}

function readRange<T extends number | bigint>(
  operator: Operator,
  token: TextToken,
  read: (text: string) => T | undefined,
  expected: string,
): Range<T> {
  const end = (text: string): T => {
    const value = token.isQuoted ? undefined : read(text)
    if (value === undefined) throw new Unreadable(`“${text}” is not ${expected}`, token)
    return value
  }
  switch (operator.replace(":", "")) {
    case ">":
      return { from: end(token.text), fromExcluded: true }
    case ">=":
      return { from: end(token.text) }
    case "<":
      return { to: end(token.text), toExcluded: true }
    case "<=":
      return { to: end(token.text) }
    default: {
      const [from = "", to = from] = token.text.split("..")
      return { from: end(from), to: end(to) }
    }
  }
}
