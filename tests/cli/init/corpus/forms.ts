/** The ways in which a file can be written. A corpus holds each form of a file in each of these styles. */
export interface CorpusStyle {
  readonly indent: "  " | "    " | "\t"
  readonly lineEnd: "\n" | "\r\n"
  readonly byteOrderMark: boolean
  readonly quote: '"' | "'"
  readonly semicolons: boolean
}

/** Two spaces, LF, double quotes, semicolons: the style in which the forms of the corpus are written. */
export const PLAIN: CorpusStyle = {
  indent: "  ",
  lineEnd: "\n",
  byteOrderMark: false,
  quote: '"',
  semicolons: true,
}

export const STYLES: readonly CorpusStyle[] = (["  ", "    ", "\t"] as const).flatMap((indent) =>
  (["\n", "\r\n"] as const).flatMap((lineEnd) =>
    [false, true].flatMap((byteOrderMark) =>
      (['"', "'"] as const).flatMap((quote) =>
        [true, false].map((semicolons) => ({ indent, lineEnd, byteOrderMark, quote, semicolons })),
      ),
    ),
  ),
)

/** @param text in the plain style. No string holds a quote, and no line begins with a bracket. */
export function inStyle(text: string, { indent, lineEnd, byteOrderMark, quote, semicolons }: CorpusStyle): string {
  const lines = text.split("\n").map((line) => {
    const [spaces = ""] = /^ */.exec(line) ?? []
    // An odd space belongs to a JSDoc comment.
    const levels = Math.floor(spaces.length / 2)
    const code = semicolons ? line.trimStart() : line.trimStart().replace(/;$/, "")
    // The attributes of JSX have double quotes in every style.
    const quoted = /^<|^return <|^\{\/\*/.test(code) ? code : code.replaceAll('"', quote)
    return indent.repeat(levels) + " ".repeat(spaces.length % 2) + quoted
  })
  return (byteOrderMark ? "\uFEFF" : "") + lines.join(lineEnd)
}

export function describeStyle({ indent, lineEnd, byteOrderMark, quote, semicolons }: CorpusStyle): string {
  const words = [JSON.stringify(indent), JSON.stringify(lineEnd), quote, semicolons ? "semicolons" : "none"]
  return [...words, ...(byteOrderMark ? ["BOM"] : [])].join(" ")
}

/** A form of a file: its path, its text in the plain style, and what `init` does with it. */
export interface Form {
  readonly path: string
  readonly text: string
  /** `left`: no byte changes, and a note names what the author has to do. `done`: neither an edit nor a note. */
  readonly outcome: "edited" | "left" | "done"
}

export const edited = (path: string, text: string): Form => ({ path, text, outcome: "edited" })
export const left = (path: string, text: string): Form => ({ path, text, outcome: "left" })
export const done = (path: string, text: string): Form => ({ path, text, outcome: "done" })
