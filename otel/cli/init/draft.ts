import { type AppFiles, readText } from "./app-files.ts"
import { leftToAuthor, type Note, type Plan } from "./edit.ts"
import { restyled, type Style, styleOf } from "./style.ts"
import {
  child,
  children,
  expressionOf,
  isSameModule,
  type Module,
  type Node,
  parseScript,
  statementsOf,
  unusedImports,
} from "./syntax.ts"

/** A replacement of part of a text; an insertion if `start` equals `end`. Lines end with LF, whatever the file uses. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The rest of a statement's line: white space and at most one comment. */
const REST_OF_LINE = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n|$)/

type Range = Pick<Change, "start" | "end">

const COMMENTED_LINE = /^\s*\/\//
/** A line that ends the properties, or begins another comment. */
const ENDS_OR_COMMENTS = /^\s*(?:[\])}]|\/[/*])/

/**
 * A file with pending changes. Each change is made twice: in the text, by position, so that all other bytes stay the same,
 * and in the syntax tree. At the end the changed text is parsed and must give the changed tree.
 */
export class Draft {
  readonly style: Style
  readonly #changes: Change[] = []
  readonly #module: Module
  readonly #unusedBefore: ReadonlySet<string>

  private constructor(
    readonly path: string,
    readonly text: string,
    parsed: Module,
    fallback: Style,
  ) {
    this.#module = parsed
    this.#unusedBefore = unusedImports(parsed.program)
    this.style = styleOf(text, parsed, fallback)
  }

  /** `undefined` if the file is not UTF-8 or cannot be parsed. */
  static open({ directory, style }: AppFiles, path: string): Draft | undefined {
    const text = readText(directory, path)
    const parsed = text === undefined ? undefined : parseScript(text, path)
    return text === undefined || parsed === undefined ? undefined : new Draft(path, text, parsed, style)
  }

  get program(): Module["program"] {
    return this.#module.program
  }

  /**
   * Code of this package in the style of the file.
   *
   * @param indent of its lines after the first.
   */
  code(code: string, indent = ""): string {
    return restyled(code, this.style).replaceAll("\n", `\n${indent}`)
  }

  /** The white space before the line of the position. */
  indentAt(position: number): string {
    return /^[ \t]*/.exec(this.text.slice(this.text.lastIndexOf("\n", position - 1) + 1))?.[0] ?? ""
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
    if (lines.length === 0) return
    const { body } = this.program
    const code = lines.map((line) => this.code(line)).join("\n")
    const index = lastImport(body)
    const before = body[index] ?? children(this.program, "directives").at(-1)
    const apply = () => void body.splice(index + 1, 0, ...statementsOf(lines.join("\n")))
    if (before === undefined) return this.insert(topOf(body[0], this.text), `${code}\n\n`, apply)
    const rest = REST_OF_LINE.exec(this.text.slice(before.end))?.[0].length
    const gap = index === -1 ? "\n\n" : "\n"
    this.insert(before.end + (rest ?? 0), `${gap}${code}${rest === undefined ? "\n" : ""}`, apply)
  }

  append(code: string): void {
    const gap = this.text === "" || this.text.endsWith("\n") ? "\n" : "\n\n"
    this.insert(this.text.length, `${gap}${this.code(code)}\n`, () => this.program.body.push(...statementsOf(code)))
  }

  /** Replaces a statement of the module by the statements of the code. */
  replaceStatement(statement: Node, code: string): void {
    const { body } = this.program
    this.change({ start: statement.start, end: statement.end, text: this.code(code) }, () =>
      body.splice(body.indexOf(statement), 1, ...statementsOf(code)),
    )
  }

  /**
   * Changes part of a string or of a template without expressions.
   *
   * @param text without characters that such a literal would escape.
   * @param value of the whole string after the change.
   */
  replaceText(literal: Node, start: number, end: number, text: string, value: string): void {
    this.change({ start, end, text }, () => {
      if (literal.type !== "TemplateLiteral") literal["value"] = value
      else for (const quasi of children(literal, "quasis")) quasi["value"] = templateValue(value)
    })
  }

  /** Replaces an expression by a name. */
  replaceName(expression: Node, name: string): void {
    this.change({ start: expression.start, end: expression.end, text: name }, () => {
      for (const key of Object.keys(expression)) delete expression[key]
      Object.assign(expression, expressionOf(name))
    })
  }

  /**
   * Wraps the value of the holder's key in `name(…)`.
   *
   * @param type asserted of the value.
   */
  wrap(holder: Node, key: string, name: string, type?: string): void {
    const value = child(holder, key)
    if (value === undefined) return
    const assertion = type === undefined ? "" : ` as ${type}`
    // `as` binds closer than `?:`.
    const [open, close] = type !== undefined && value.type === "ConditionalExpression" ? ["(", ")"] : ["", ""]
    // A declaration ends without a semicolon, an expression does not.
    const isDeclaration = value.type === "FunctionDeclaration"
    this.insert(value.start, `${name}(${open}`)
    this.insert(value.end, `${close}${assertion})${isDeclaration && this.style.semicolons ? ";" : ""}`, () => {
      const call = expressionOf(`${name}(value${assertion})`)
      const [given] = children(call, "arguments")
      if (isDeclaration) (value as { type: string }).type = "FunctionExpression"
      if (given?.type === "TSAsExpression") given["expression"] = value
      else call["arguments"] = [value]
      holder[key] = call
    })
  }

  /** Removes the node, its comma, and its line if nothing else is on it. A property takes the comment along that is its own. */
  remove(holder: Node, key: string, node: Node): void {
    const { text } = this
    const others = children(holder, key).filter((each) => each !== node)
    const comma = /^\s*,/.exec(text.slice(node.end))?.[0].length ?? 0
    const line = /^[ \t]*\r?\n/.exec(text.slice(node.end + comma))?.[0].length ?? 0
    const indent = /(?<![ \t])[ \t]*$/.exec(text.slice(0, node.start))?.[0].length ?? 0
    const isWholeLine = line > 0 && /(?:^|\n)$/.test(text.slice(0, node.start - indent))
    const before = others.findLast(({ end }) => end <= node.start)
    const isLast = comma === 0 && before !== undefined && !others.some(({ start }) => start > node.start)
    const spaces = /^[ \t]*/.exec(text.slice(node.end + comma))?.[0].length ?? 0
    const wholeLine = { start: node.start - indent, end: node.end + comma + line }
    const ownLines = key === "properties" ? this.#withOwnComment(wholeLine) : wholeLine
    const range = isWholeLine
      ? ownLines
      : isLast && key !== "body"
        ? { start: before.end, end: node.end }
        : { start: node.start, end: node.end + comma + (comma > 0 ? spaces : 0) }
    // The removal of the last of several contains those of its neighbours.
    const isWithin = ({ start, end, text: added }: Change) => start >= range.start && end <= range.end && added === ""
    const rest = this.#changes.filter((each) => !isWithin(each))
    this.#changes.splice(0, this.#changes.length, ...rest)
    this.change({ ...range, text: "" }, () => {
      holder[key] = others
      // A comment elsewhere that the range takes along is missed when the result is compared: the edit is left to the author.
      if (isWholeLine) this.#removeComments(range.start, node.start)
    })
  }

  #removeComments(from: number, to: number): void {
    const { comments } = this.#module
    const left = comments.filter(({ start, end }) => start < from || end > to)
    comments.splice(0, comments.length, ...left)
  }

  /** The lines with those of the comment above them, unless it may stand for what follows too, and with one of two blank lines. */
  #withOwnComment({ start, end }: Range): Range {
    const above = this.text.slice(0, start).split("\n").slice(0, -1)
    const [below = ""] = this.text.slice(end).split("\n", 1)
    let from = start
    if (isBlank(below) || ENDS_OR_COMMENTS.test(below))
      while (COMMENTED_LINE.test(above.at(-1) ?? "")) from -= `${above.pop()}\n`.length
    const isDoubled = above.length > 0 && isBlank(above.at(-1) ?? "") && isBlank(below)
    return { start: from, end: isDoubled ? end + `${below}\n`.length : end }
  }

  /** The edit and the notes. If the changed text does not parse as intended, a note with `task` and `lines` replaces the edit. */
  plan(task: string, lines: readonly string[], notes: readonly Note[] = []): Plan {
    if (this.#changes.length === 0) return { edits: [], notes }
    this.#removeUnusedImports()
    const after = this.#applied()
    const result = parseScript(after, this.path)
    if (result === undefined || !isSameModule(result, this.#module) || this.#newlyUnused(result).length > 0)
      return { edits: [], notes: [leftToAuthor(this.path, task, lines), ...notes] }
    return { edits: [{ path: this.path, before: this.text, after }], notes }
  }

  #newlyUnused({ program }: Module): string[] {
    return [...unusedImports(program)].filter((name) => !this.#unusedBefore.has(name))
  }

  /** `noUnusedLocals` and linters refuse an import whose last use an edit removed. */
  #removeUnusedImports(): void {
    const unused = new Set(this.#newlyUnused(this.#module))
    for (const statement of this.program.body.filter(({ type }) => type === "ImportDeclaration")) {
      const specifiers = children(statement, "specifiers")
      const isUnused = (each: Node) => unused.has(String(child(each, "local")?.["name"]))
      if (specifiers.length > 0 && specifiers.every(isUnused)) this.#removeImport(statement)
      else for (const each of specifiers.filter(isUnused)) this.remove(statement, "specifiers", each)
    }
  }

  #removeImport(statement: Node): void {
    const rest = REST_OF_LINE.exec(this.text.slice(statement.end))?.[0].length ?? 0
    const index = this.#changes.findIndex(({ start }) => start >= statement.start && start <= statement.end + rest)
    const added = this.#changes[index]
    if (added === undefined) return this.remove(this.program, "body", statement)
    // An import was added below this one: it takes its place.
    this.#changes.splice(index, 1)
    const { body } = this.program
    this.change({ start: statement.start, end: added.start, text: added.text.replace(/^\n+/, "") }, () =>
      body.splice(body.indexOf(statement), 1),
    )
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

function isBlank(line: string): boolean {
  return line.trim() === ""
}

/** A part of a template as the parser gives it. */
function templateValue(cooked: string): { raw: string; cooked: string } {
  return { raw: cooked.replaceAll("\\", "\\\\"), cooked }
}

/** The line ending of most lines. */
function lineEndOf(text: string): string {
  const lines = text.split("\n").slice(0, -1)
  return lines.filter((line) => line.endsWith("\r")).length * 2 > lines.length ? "\r\n" : "\n"
}

/** The index of the last `import`, else of the last `require` at the top; -1 without. */
function lastImport(body: readonly Node[]): number {
  const index = body.findLastIndex(({ type }) => type === "ImportDeclaration")
  const rest = body.findIndex((statement) => !isRequire(statement))
  return index === -1 ? (rest === -1 ? body.length : rest) - 1 : index
}

/** `const … = require(…)`, also if what is required is called at once. */
function isRequire(statement: Node): boolean {
  const declared = children(statement, "declarations")
  return declared.length > 0 && declared.every((each) => isRequired(child(each, "init")))
}

function isRequired(value: Node | undefined): boolean {
  if (value?.type === "MemberExpression") return isRequired(child(value, "object"))
  if (value?.type !== "CallExpression") return false
  const callee = child(value, "callee")
  return callee?.["name"] === "require" || isRequired(callee)
}

/** The position before the first statement and its JSDoc, such as `@type`. */
function topOf(first: Node | undefined, text: string): number {
  if (first === undefined) return text.length
  const comment = children(first, "leadingComments").at(-1)
  const isOwn = comment?.type === "CommentBlock" && String(comment["value"]).startsWith("*")
  return isOwn ? comment.start : first.start
}
