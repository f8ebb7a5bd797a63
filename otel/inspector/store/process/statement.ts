/** One statement as the HTTP protocol delivers it. */
export interface Statement {
  readonly sql: string
  /** Values of `{name:Type}` placeholders, in ClickHouse's escaped text form. */
  readonly parameters: ReadonlyMap<string, string>
  /** Output format where the SQL names none. */
  readonly format: string
  /** The rows of an insert, in the format that it names. */
  readonly body?: Uint8Array | undefined
}

/** Comments may precede the first word. */
const FIRST_WORD = /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|\()*([a-z]+)/i

/** Whether the statement only reads rows, so that another connection may run it. */
export function isRead(sql: string): boolean {
  const word = FIRST_WORD.exec(sql)?.[1]?.toLowerCase()
  return word === "select" || word === "with"
}

/** Whether it reads from another statement. What stands in texts may be taken for one; the statement is answered all the same. */
export function hasSubquery(sql: string): boolean {
  return /\bselect\b[\s\S]*\bselect\b/i.test(sql)
}

/**
 * `SET param_x = '…'` for each parameter. chDB's own parameter call queues all such statements of the process behind
 * each other; a setting belongs to its connection alone. It outlives the statement there, which matters to nobody: a
 * statement is prepared with all that it names, and every client holds the same token.
 */
export function parameterStatements(parameters: ReadonlyMap<string, string>): string {
  return [...parameters].map(([name, value]) => `SET param_${name} = ${quote(value)};`).join("\n")
}

export const PARAMETER_NAME = /^[a-zA-Z_]\w*$/

/** Backslash and quote are what can end a ClickHouse string literal early. */
function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}
