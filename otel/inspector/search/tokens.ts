/**
 * Splits filter text into tokens with positions. Never fails: unfinished tokens are marked, because the text in a filter
 * box is unfinished most of the time.
 */

export const OPERATORS = [":>=", ":<=", ":>", ":<", ":=", "!=", ">=", "<=", ":", "=", ">", "<"] as const
export type Operator = (typeof OPERATORS)[number]

/** A range of the text; `end` is exclusive. */
export interface Place {
  readonly start: number
  readonly end: number
}

export interface TextToken extends Place {
  readonly text: string
  /** Quoted text is literal: no wildcards, no field names. */
  readonly isQuoted: boolean
  /** The closing quote is missing. */
  readonly isOpen: boolean
}

/** `key operator value`, or a value alone. */
export interface TermToken extends Place {
  readonly type: "term"
  readonly key: TextToken | undefined
  readonly operator: Operator | undefined
  /** Several in parentheses: `service:(web OR api)`. None if the text ends after the operator. */
  readonly values: readonly TextToken[]
  /** The parenthesis around the values is not closed. */
  readonly isListOpen: boolean
}

export interface MarkToken extends Place {
  readonly type: "(" | ")" | "{" | "}" | "-" | "AND" | "OR" | "NOT"
}

export type Token = TermToken | MarkToken

const MARKS: ReadonlySet<string> = new Set(["(", ")", "{", "}"])
const WORDS: ReadonlySet<string> = new Set(["AND", "OR", "NOT"])
const KEY = /^[A-Za-z_@$][\w.@$/-]*$/

/** Whether a key needs no quotes. */
export function isBareKey(text: string): boolean {
  return KEY.test(text)
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length) return tokens
    const token = readToken(text, at)
    tokens.push(token)
    at = token.end
  }
}

function readToken(text: string, start: number): Token {
  const first = text.charAt(start)
  if (MARKS.has(first)) return mark(first, start, start + 1)
  const next = text.charAt(start + 1)
  if (first === "-" && next !== "" && !/\s/.test(next)) return mark("-", start, start + 1)
  const word = /^(?:AND|OR|NOT)(?=[\s()]|$)/.exec(text.slice(start, start + 4))?.[0]
  if (word !== undefined && WORDS.has(word)) return mark(word, start, start + word.length)
  return readTerm(text, start)
}

function mark(type: string, start: number, end: number): MarkToken {
  return { type: type as MarkToken["type"], start, end }
}

function readTerm(text: string, start: number): TermToken {
  const key = text.charAt(start) === '"' ? readQuoted(text, start) : readBare(text, start, true)
  const operator = operatorAt(text, key.end)
  const isKey = operator !== undefined && !key.isOpen && (key.isQuoted || KEY.test(key.text))
  // A URL is no field called `https`.
  if (!isKey || (operator === ":" && text.startsWith("//", key.end + 1))) {
    const value = key.isQuoted ? key : readBare(text, start, false)
    return {
      type: "term",
      key: undefined,
      operator: undefined,
      values: [value],
      isListOpen: false,
      start,
      end: value.end,
    }
  }
  const at = key.end + operator.length
  if (text.charAt(at) === "(") return { ...readList(text, at), type: "term", key, operator, start }
  const value = readValue(text, at)
  const values = value.end > at ? [value] : []
  return { type: "term", key, operator, values, isListOpen: false, start, end: value.end }
}

/** The values between parentheses; `OR` between them may be written or not. */
function readList(text: string, open: number): Pick<TermToken, "values" | "isListOpen" | "end"> {
  const values: TextToken[] = []
  let at = skipSpace(text, open + 1)
  while (at < text.length && text.charAt(at) !== ")") {
    const value = readValue(text, at)
    // A brace that closes nothing is part of the value here: only the parenthesis ends the list.
    const end = value.end > at ? value.end : at + 1
    if (value.isQuoted || value.text !== "OR")
      values.push(value.end > at ? value : { ...value, text: text.charAt(at), end })
    at = skipSpace(text, end)
  }
  const isListOpen = at >= text.length
  return { values, isListOpen, end: isListOpen ? at : at + 1 }
}

function readValue(text: string, start: number): TextToken {
  return text.charAt(start) === '"' ? readQuoted(text, start) : readBare(text, start, false)
}

/** `\"` and `\\` stand for the quote and the backslash. */
function readQuoted(text: string, start: number): TextToken {
  let value = ""
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') return { text: value, isQuoted: true, isOpen: false, start, end: at + 1 }
    const isEscape = character === "\\" && /["\\]/.test(text.charAt(at + 1))
    value += isEscape ? text.charAt(++at) : character
  }
  return { text: value, isQuoted: true, isOpen: true, start, end: text.length }
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["}", "{"],
])

/** Up to a space or an unmatched closing parenthesis or brace: `/users/{id}` and `call(x)` are words. */
function readBare(text: string, start: number, isKey: boolean): TextToken {
  const open: string[] = []
  let at = start
  for (; at < text.length; at++) {
    const character = text.charAt(at)
    if (/\s/.test(character)) break
    if (isKey && operatorAt(text, at) !== undefined) break
    if (character === "(" || character === "{") open.push(character)
    const opening = CLOSING.get(character)
    if (opening !== undefined && open.pop() !== opening) break
  }
  return { text: text.slice(start, at), isQuoted: false, isOpen: false, start, end: at }
}

function operatorAt(text: string, at: number): Operator | undefined {
  return OPERATORS.find((operator) => text.startsWith(operator, at))
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && /\s/.test(text.charAt(at))) at++
  return at
}

/** A syntax error of a filter: one sentence, and its range in the text. */
export interface FilterProblem extends Place {
  readonly message: string
}

/** The message, the filter, and a line that marks the range. */
export function pointAtProblem(text: string, { message, start, end }: FilterProblem): string {
  return `${message}\n  ${text}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`
}

/** Ends parsing. `parseFilter` catches it. */
export class Unreadable extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message)
  }
}
