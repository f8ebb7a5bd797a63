import { type AppFiles, readText } from "./app-files.ts"
import { child, children, isSameModule, type Module, type Node, parseScript, statementsOf } from "./syntax.ts"

/** A file as it is and as it is to be. */
export interface Edit {
  /** Relative to the app. */
  readonly path: string
  /** `undefined` where there is no such file yet. */
  readonly before: string | undefined
  readonly after: string
}

/** What `init` leaves to the app's author: a line that says what, and the lines to paste below it. */
export type Note = string

export interface Plan {
  readonly edits: readonly Edit[]
  readonly notes: readonly Note[]
}

export const NOTHING: Plan = { edits: [], notes: [] }

export function leftToAuthor(path: string, task: string, lines: readonly string[]): Note {
  return [`${path}: ${task}`, ...lines.map((line) => `    ${line}`)].join("\n")
}

/** A replacement of a part of a text, or an insertion where `start` is `end`. Lines end with LF, whatever the file has. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What may follow a statement on its line: one comment. */
const REST_OF_LINE = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n|$)/

/**
 * A file that is being changed. Each change is made twice: in the text, by place, so that all else keeps its bytes, and in
 * the syntax tree. In the end the text is parsed, and must say what the changed tree says.
 */
export class Draft {
  readonly #changes: Change[] = []
  readonly #module: Module

  private constructor(
    readonly path: string,
    readonly text: string,
    parsed: Module,
  ) {
    this.#module = parsed
  }

  /** `undefined` where the file is not UTF-8, or no script that can be parsed. */
  static open(app: AppFiles, path: string): Draft | undefined {
    const text = readText(app.directory, path)
    const parsed = text === undefined ? undefined : parseScript(text, path)
    return text === undefined || parsed === undefined ? undefined : new Draft(path, text, parsed)
  }

  get program(): Module["program"] {
    return this.#module.program
  }

  /** @param apply makes the same change in the tree. The places of the nodes stay those of the original text. */
  change(change: Change, apply: () => void): void {
    this.#changes.push(change)
    apply()
  }

  insert(at: number, text: string, apply: () => void = () => undefined): void {
    this.change({ start: at, end: at, text }, apply)
  }

  /** Lines of imports, after those that are there, else at the top: below directives, above what describes the first statement. */
  addImports(lines: readonly string[]): void {
    const { body } = this.program
    const code = lines.join("\n")
    const index = body.findLastIndex(({ type }) => type === "ImportDeclaration")
    const before = body[index] ?? children(this.program, "directives").at(-1)
    const apply = () => void body.splice(index + 1, 0, ...statementsOf(code))
    if (before === undefined) return this.insert(topOf(body[0], this.text), `${code}\n\n`, apply)
    const rest = REST_OF_LINE.exec(this.text.slice(before.end))?.[0].length
    const gap = index === -1 ? "\n\n" : "\n"
    this.insert(before.end + (rest ?? 0), `${gap}${code}${rest === undefined ? "\n" : ""}`, apply)
  }

  append(code: string): void {
    const gap = this.text === "" || this.text.endsWith("\n") ? "\n" : "\n\n"
    this.insert(this.text.length, `${gap}${code}\n`, () => this.program.body.push(...statementsOf(code)))
  }

  /** Puts `name(…)` around the value that the holder has under the key. */
  wrap(holder: Node, key: string, name: string): void {
    const value = child(holder, key)
    const call = child(statementsOf(`${name}()`)[0] ?? holder, "expression")
    if (value === undefined || call === undefined) return
    this.insert(value.start, `${name}(`)
    this.insert(value.end, ")", () => {
      call["arguments"] = [value]
      holder[key] = call
    })
  }

  /**
   * The edit with the notes; without an edit, and with `task` and `lines` as a note, where the changed text does not say
   * what was meant.
   */
  plan(task: string, lines: readonly string[], notes: readonly Note[] = []): Plan {
    if (this.#changes.length === 0) return { edits: [], notes }
    const after = this.#applied()
    const result = parseScript(after, this.path)
    if (result === undefined || !isSameModule(result, this.#module))
      return { edits: [], notes: [leftToAuthor(this.path, task, lines), ...notes] }
    return { edits: [{ path: this.path, before: this.text, after }], notes }
  }

  #applied(): string {
    const lineEnd = lineEndOf(this.text)
    return this.#changes
      .toSorted((a, b) => b.start - a.start)
      .reduce(
        (result, { start, end, text }) => result.slice(0, start) + text.replaceAll("\n", lineEnd) + result.slice(end),
        this.text,
      )
  }
}

/** What most lines of the text end with. */
function lineEndOf(text: string): string {
  const lines = text.split("\n").slice(0, -1)
  return lines.filter((line) => line.endsWith("\r")).length * 2 > lines.length ? "\r\n" : "\n"
}

/** Before the first statement and the JSDoc that belongs to it, such as `@type`. */
function topOf(first: Node | undefined, text: string): number {
  if (first === undefined) return text.length
  const comment = children(first, "leadingComments").at(-1)
  const isOwn = comment?.type === "CommentBlock" && String(comment["value"]).startsWith("*")
  return isOwn ? comment.start : first.start
}
