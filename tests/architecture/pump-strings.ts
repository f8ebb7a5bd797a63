/**
 * Strings that make a backtracking matcher slow, generated from the structure of a regular expression: a prefix that
 * matches, a part of the expression repeated, and a suffix that does not match.
 */

type Node =
  | { readonly kind: "characters"; readonly samples: readonly string[] }
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "choice"; readonly options: readonly Node[] }
  | { readonly kind: "repeat"; readonly body: Node; readonly min: number }

export interface Pump {
  readonly prefix: string
  readonly pumped: string
  readonly suffix: string
}

/** Samples for `.` and negated classes like `[^/]`: a letter, common delimiters, white space. */
const ANY = ["a", "-", ".", "/", ":", "(", "{", "0", " ", "\n", "=", '"', "?"]
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: ["0"],
  D: ["a", " ", "-"],
  w: ["a", "0", "_"],
  W: ["-", " ", "\n"],
  s: [" ", "\n", "\t"],
  S: ["a", "-", "/", "?"],
  p: ["a", "\ud800", "é"],
  P: ["-", " "],
}
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", 0: "\0" }
/** The number of samples per class and of options per choice. */
const VARIANT_LIMIT = 13
/** Makes an anchored expression fail at the end. Few classes contain NUL, and `.` does not match a line break. */
const SUFFIXES = ["", "\0", "\n", "!"]
/** A leading character, so that an option anchored at the start cannot match the whole text. */
const LEADS = ["", "\0"]

/** The pump strings of an expression. The caller repeats `pumped` as often as it needs. */
export function pumpsOf(pattern: string, flags: string): readonly Pump[] {
  const tree = new PatternReader(pattern, flags).read()
  const pumps = new Map<string, Pump>()
  for (let variant = 0; variant < VARIANT_LIMIT; variant++) {
    for (const pieces of [piecesOf(tree, variant, 0), piecesOf(tree, variant, 1)])
      for (let from = 0; from < pieces.length; from++)
        for (let to = from + 1; to <= pieces.length; to++)
          for (const suffix of SUFFIXES)
            for (const lead of LEADS) {
              const prefix = lead + pieces.slice(0, from).join("")
              const pumped = pieces.slice(from, to).join("")
              if (pumped !== "") pumps.set(JSON.stringify([prefix, pumped, suffix]), { prefix, pumped, suffix })
            }
  }
  return [...pumps.values()]
}

/** One match of the tree, as parts that can be repeated. With `turn` 1, neighboring parts use different samples. */
function piecesOf(node: Node, variant: number, turn: number): string[] {
  if (node.kind === "characters") return [node.samples[variant % node.samples.length] ?? ""]
  if (node.kind === "choice") return piecesOf(node.options[variant % node.options.length] as Node, variant, turn)
  if (node.kind === "repeat") {
    const pieces = piecesOf(node.body, variant, turn)
    return node.min > 1 ? [pieces.join("").repeat(node.min)] : pieces
  }
  const parts = node.parts.map((part, index) => ({
    isText: part.kind === "characters" && part.samples.length === 1,
    pieces: piecesOf(part, variant + turn * index, turn),
  }))
  // Consecutive literal characters are one piece, since part of a word matches nothing.
  const joined: string[] = []
  parts.forEach(({ isText, pieces }, index) => {
    if (isText && parts[index - 1]?.isText === true) joined.push(`${joined.pop()}${pieces[0]}`)
    else joined.push(...pieces)
  })
  return joined
}

/** Parses the syntax of ECMAScript's regular expressions that decides what a part matches. */
class PatternReader {
  #at = 0

  constructor(
    readonly pattern: string,
    readonly flags: string,
  ) {}

  read(): Node {
    const tree = this.#choice()
    if (this.#at < this.pattern.length) throw new Error(`/${this.pattern}/ cannot be parsed at position ${this.#at}`)
    return tree
  }

  #accept(text: string): boolean {
    const isNext = this.pattern.startsWith(text, this.#at)
    if (isNext) this.#at += text.length
    return isNext
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at
    const match = form.exec(this.pattern) ?? undefined
    this.#at += match?.[0].length ?? 0
    return match
  }

  #choice(): Node {
    const options = [this.#sequence()]
    while (this.#accept("|")) options.push(this.#sequence())
    return options.length === 1 ? (options[0] as Node) : { kind: "choice", options }
  }

  #sequence(): Node {
    const parts: Node[] = []
    while (this.#at < this.pattern.length && !/[|)]/.test(this.pattern.charAt(this.#at))) {
      const atom = this.#atom()
      const quantifier = this.#match(/(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/y)
      if (quantifier === undefined) parts.push(atom)
      else parts.push({ kind: "repeat", body: atom, min: Number(quantifier[2] ?? 1) })
    }
    return { kind: "sequence", parts }
  }

  #atom(): Node {
    if (this.#match(/\^|\$|\\b|\\B/y)) return { kind: "sequence", parts: [] }
    if (this.#accept(".")) return { kind: "characters", samples: ANY }
    if (this.#accept("[")) return { kind: "characters", samples: this.#class() }
    if (this.#match(/\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y)) {
      const inner = this.#choice()
      if (!this.#accept(")")) throw new Error(`/${this.pattern}/ has an unterminated group`)
      return inner
    }
    return { kind: "characters", samples: this.#member() }
  }

  /** Samples of one literal character or one escape. */
  #member(): readonly string[] {
    const code = this.#match(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/iy)
    if (code !== undefined) return [String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16))]
    const property = this.#match(/\\([pP])\{[^}]*\}/y)
    if (property !== undefined) return CLASSES[property[1] as string] as readonly string[]
    const escaped = this.#match(/\\([\s\S])/y)?.[1]
    if (escaped !== undefined) return CLASSES[escaped] ?? [ESCAPED[escaped] ?? escaped]
    return [this.#match(/[\s\S]/uy)?.[0] ?? ""]
  }

  #class(): readonly string[] {
    const isNegated = this.#accept("^")
    const samples: string[] = []
    const from = this.#at
    while (!this.#accept("]")) {
      samples.push(...this.#member())
      // The first character of a range is enough. A hyphen before `]`, as in `[a-f-]`, is a literal.
      if (this.pattern.charAt(this.#at) === "-" && this.pattern.charAt(this.#at + 1) !== "]") {
        this.#at++
        this.#member()
      }
    }
    if (!isNegated) return samples
    const self = new RegExp(`[^${this.pattern.slice(from, this.#at - 1)}]`, this.flags.replace(/[gy]/g, ""))
    return ANY.filter((character) => self.test(character))
  }
}
