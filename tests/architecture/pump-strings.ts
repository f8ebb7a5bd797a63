/**
 * Strings that make a backtracking matcher work hard, made from the structure of a regular expression: the part before
 * a place, then a part of the expression again and again, then something that it cannot match.
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

/** What a class without, like `[^/]`, and `.` are tried with: a letter, marks that often delimit, spaces. */
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
/** Members that are tried of each class, and options of each choice. */
const VARIANT_LIMIT = 13
/** Makes an anchored expression fail after all of it has been tried. A NUL is in few classes, a line break ends `.`. */
const SUFFIXES = ["", "\0", "\n", "!"]
/** In front, so that a choice that is anchored at the start does not take all of it. */
const LEADS = ["", "\0"]

/** Each text is the shortest that a `Pump` stands for: `pumped` may be repeated as often as a caller likes. */
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

/** One way through the tree, in parts that can be repeated by themselves. `turn` lets neighbours differ. */
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
  // Letters in a row are one piece: half a word matches nothing.
  const joined: string[] = []
  parts.forEach(({ isText, pieces }, index) => {
    if (isText && parts[index - 1]?.isText === true) joined.push(`${joined.pop()}${pieces[0]}`)
    else joined.push(...pieces)
  })
  return joined
}

/** Reads the syntax of ECMAScript's regular expressions as far as it decides what a part matches. */
class PatternReader {
  #at = 0

  constructor(
    readonly pattern: string,
    readonly flags: string,
  ) {}

  read(): Node {
    const tree = this.#choice()
    if (this.#at < this.pattern.length) throw new Error(`/${this.pattern}/ cannot be read from ${this.#at} on`)
    return tree
  }

  #takes(text: string): boolean {
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
    while (this.#takes("|")) options.push(this.#sequence())
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
    if (this.#takes(".")) return { kind: "characters", samples: ANY }
    if (this.#takes("[")) return { kind: "characters", samples: this.#class() }
    if (this.#match(/\((?:\?(?:[:=!]|<[=!]|<\w+>))?/y)) {
      const inner = this.#choice()
      if (!this.#takes(")")) throw new Error(`/${this.pattern}/ has a group without end`)
      return inner
    }
    return { kind: "characters", samples: this.#member() }
  }

  /** What one character of a pattern, or one escape, matches. */
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
    const isNegated = this.#takes("^")
    const samples: string[] = []
    const from = this.#at
    while (!this.#takes("]")) {
      samples.push(...this.#member())
      // Of a range its first character will do, of `[a-f-]` the hyphen is one by itself.
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
