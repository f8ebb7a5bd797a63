import { freeLogText, logTerm, type LogTree } from "./log-terms.ts"
import { freeText, prefixedTerm, type RunLookup, type Term, traceTerm } from "./terms.ts"
import {
  type FilterProblem,
  type MarkToken,
  type Place,
  type TermToken,
  type TextToken,
  type Token,
  tokenize,
  Unreadable,
} from "./tokens.ts"
import type { FilterTree, Logic, SpanTree } from "./tree.ts"

/** The maximum number of characters, terms and nested parentheses of a filter. It must fit into a URL, and becomes a SQL statement. */
export const FILTER_LENGTH_LIMIT = 2_000
const TERM_LIMIT = 60
const DEPTH_LIMIT = 12

/** `tree` is `undefined` for an empty text, which everything passes. */
export type Parsed<Tree> =
  | { readonly tree: Tree | undefined; readonly problem: undefined }
  | { readonly tree: undefined; readonly problem: FilterProblem }

/**
 * Reads a filter of traces such as `route:/cart duration>500ms status:error -name:prefetch`. It never throws; what cannot
 * be read is reported as a problem with its position. `runs` knows the runs by name; without it only spans that carry
 * `pagespan.run` belong to a run.
 */
export function parseFilter(text: string, runs: RunLookup = () => undefined): Parsed<FilterTree> {
  return parseTree(text, (token, parser) =>
    token.type === "term"
      ? ofTerm(
          token,
          (term) => traceTerm(term, runs),
          (value) => ({ is: "some span", where: freeText(value) }),
        )
      : { is: "some span", where: parser.braces(token as MarkToken, spanOperand) },
  )
}

/** Reads a filter of logs such as `severity>=warn service:web timeout`. Like `parseFilter`, it never throws. */
export function parseLogFilter(text: string): Parsed<LogTree> {
  return parseTree(text, (token) => {
    if (token.type === "term") return ofTerm(token, logTerm, freeLogText)
    throw new Unreadable("Braces match one span, and this filter selects logs: write the terms without them", token)
  })
}

/** Reads what stands in the place of a term: a term, or an opening brace. @throws {Unreadable} */
type Operand<Leaf extends { is: string }> = (token: Token, parser: Parser) => Logic<Leaf>

function parseTree<Leaf extends { is: string }>(text: string, operand: Operand<Leaf>): Parsed<Logic<Leaf>> {
  try {
    if (text.length > FILTER_LENGTH_LIMIT)
      throw new Unreadable(`A filter has at most ${FILTER_LENGTH_LIMIT} characters`, {
        start: FILTER_LENGTH_LIMIT,
        end: text.length,
      })
    const tokens = tokenize(text)
    const terms = tokens.filter(({ type }) => type === "term") as TermToken[]
    const tooMany = terms[TERM_LIMIT]
    if (tooMany !== undefined) throw new Unreadable(`A filter has at most ${TERM_LIMIT} terms`, tooMany)
    const tree = tokens.length === 0 ? undefined : new Parser(tokens, text.length).parse(operand)
    return { tree, problem: undefined }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const { start, end } = error.place
    return { tree: undefined, problem: { message: error.message, start, end } }
  }
}

/** `OR` binds weaker than standing side by side; `-` and `NOT` bind strongest. */
class Parser {
  #at = 0
  #depth = 0

  constructor(
    private readonly tokens: readonly Token[],
    private readonly end: number,
  ) {}

  parse<Leaf extends { is: string }>(operand: Operand<Leaf>): Logic<Leaf> {
    const tree = this.#alternatives(operand)
    const rest = this.tokens[this.#at]
    if (rest !== undefined) throw new Unreadable(`This ${rest.type} closes nothing`, rest)
    return tree
  }

  /** The terms up to the brace that closes the one that was just read. */
  braces<Leaf extends { is: string }>(open: MarkToken, operand: Operand<Leaf>): Logic<Leaf> {
    return this.#nested(open, () => this.#closed(open, "}", () => this.#alternatives(operand)))
  }

  #alternatives<Leaf extends { is: string }>(operand: Operand<Leaf>): Logic<Leaf> {
    const nodes = [this.#together(operand)]
    while (this.#take("OR") !== undefined) nodes.push(this.#together(operand))
    return joined("or", nodes)
  }

  #together<Leaf extends { is: string }>(operand: Operand<Leaf>): Logic<Leaf> {
    const nodes = [this.#negatable(operand)]
    for (;;) {
      const next = this.tokens[this.#at]?.type
      if (next === undefined || next === "OR" || next === ")" || next === "}") return joined("and", nodes)
      this.#take("AND")
      nodes.push(this.#negatable(operand))
    }
  }

  #negatable<Leaf extends { is: string }>(operand: Operand<Leaf>): Logic<Leaf> {
    const token = this.tokens[this.#at++]
    if (token === undefined) throw new Unreadable("Something is missing here", { start: this.end, end: this.end })
    if (token.type === "-" || token.type === "NOT")
      return this.#nested(token, () => ({ is: "not", node: this.#negatable(operand) }))
    if (token.type === "(")
      return this.#nested(token, () => this.#closed(token, ")", () => this.#alternatives(operand)))
    if (token.type !== "term" && token.type !== "{")
      throw new Unreadable(`Something is missing before ${token.type}`, token)
    return operand(token, this)
  }

  #nested<T>(place: Place, read: () => T): T {
    if (++this.#depth > DEPTH_LIMIT) throw new Unreadable(`At most ${DEPTH_LIMIT} parentheses can be nested`, place)
    const result = read()
    this.#depth--
    return result
  }

  #closed<T>(open: Place, closing: ")" | "}", read: () => T): T {
    if (this.tokens[this.#at]?.type === closing)
      throw new Unreadable("These brackets are empty", { ...open, end: open.end + 1 })
    const result = read()
    if (this.#take(closing) === undefined) throw new Unreadable(`The closing ${closing} is missing`, open)
    return result
  }

  #take(type: Token["type"]): Token | undefined {
    const token = this.tokens[this.#at]
    if (token?.type !== type) return undefined
    this.#at++
    return token
  }
}

function spanOperand(token: Token): SpanTree {
  if (token.type === "term") return ofTerm(token, prefixedTerm, freeText)
  throw new Unreadable("Braces match one span and cannot be nested", token)
}

/** Several values in parentheses are alternatives; `!=` denies all of them. */
function ofTerm<Leaf extends { is: string }>(
  token: TermToken,
  read: (term: Term) => Logic<Leaf>,
  free: (value: TextToken) => Logic<Leaf>,
): Logic<Leaf> {
  const { key, operator, values } = token
  const open = [key, ...values].find((part) => part?.isOpen)
  if (open) throw new Unreadable("The closing quote is missing", open)
  if (token.isListOpen) throw new Unreadable("The closing ) is missing", token)
  if (key === undefined || operator === undefined) return joined("or", values.map(free))
  if (values.length === 0) throw new Unreadable(`${key.text}${operator} needs a value`, token)
  if (operator !== "!=")
    return joined(
      "or",
      values.map((value) => read({ key, operator, value })),
    )
  const nodes = values.map((value) => read({ key, operator: "=", value: value as TextToken }))
  return { is: "not", node: joined("or", nodes) }
}

function joined<Leaf extends { is: string }>(is: "and" | "or", nodes: readonly Logic<Leaf>[]): Logic<Leaf> {
  const [only] = nodes
  return nodes.length === 1 && only !== undefined ? only : { is, nodes }
}
