import { type AppFiles, readText } from "./app-files.ts"
import { child, children, isSameModule, type Module, type Node, parseScript, statementsOf } from "./syntax.ts"

/** A file before and after an edit. */
export interface Edit {
  /** Relative to the app. */
  readonly path: string
  /** `undefined` for a new file. */
  readonly before: string | undefined
  readonly after: string
}

/** An edit that the app's author makes: one line that names it, and below it the lines to paste. */
export type Note = string

export interface Plan {
  readonly edits: readonly Edit[]
  readonly notes: readonly Note[]
}

export const NOTHING: Plan = { edits: [], notes: [] }

export function leftToAuthor(path: string, task: string, lines: readonly string[]): Note {
  return [`${path}: ${task}`, ...lines.map((line) => `    ${line}`)].join("\n")
}

/** A replacement of part of a text; an insertion if `start` equals `end`. Lines end with LF, whatever the file uses. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The rest of a statement's line: white space and at most one comment. */
const REST_OF_LINE = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n|$)/

/**
 * A file with pending changes. Each change is made twice: in the text, by position, so that all other bytes stay the same,
 * and in the syntax tree. At the end the changed text is parsed and must give the changed tree.
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

  /** `undefined` if the file is not UTF-8 or cannot be parsed. */
  static open(app: AppFiles, path: string): Draft | undefined {
    const text = readText(app.directory, path)
    const parsed = text === undefined ? undefined : parseScript(text, path)
    return text === undefined || parsed === undefined ? undefined : new Draft(path, text, parsed)
  }

  get program(): Module["program"] {
    return this.#module.program
  }

  /** @param apply makes the same change in the tree. Nodes keep their positions in the original text. */
  change(change: Change, apply: () => void): void {
    this.#changes.push(change)
    apply()
  }

  insert(at: number, text: string, apply: () => void = () => undefined): void {
    this.change({ start: at, end: at, text }, apply)
  }

  /** Adds imports after existing ones, else at the top: below directives, above the JSDoc of the first statement. */
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

  /** Wraps the value of the holder's key in `name(…)`. */
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

  /** The edit and the notes. If the changed text does not parse as intended, a note with `task` and `lines` replaces the edit. */
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

/** The line ending of most lines. */
function lineEndOf(text: string): string {
  const lines = text.split("\n").slice(0, -1)
  return lines.filter((line) => line.endsWith("\r")).length * 2 > lines.length ? "\r\n" : "\n"
}

/** The position before the first statement and its JSDoc, such as `@type`. */
function topOf(first: Node | undefined, text: string): number {
  if (first === undefined) return text.length
  const comment = children(first, "leadingComments").at(-1)
  const isOwn = comment?.type === "CommentBlock" && String(comment["value"]).startsWith("*")
  return isOwn ? comment.start : first.start
}
