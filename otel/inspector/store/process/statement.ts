import { randomUUID } from "node:crypto"
import { type FileHandle, open, unlink } from "node:fs/promises"
import { join } from "node:path"
import { ROWS_OF_BODY } from "../insert-statement.ts"
import { stringLiteral } from "../sql-text.ts"
import { type Exception, refuse } from "./exception.ts"

/** One statement of the HTTP interface. */
export interface Statement {
  readonly sql: string
  /** Values of `{name:Type}` placeholders, in ClickHouse's escaped text form. */
  readonly parameters: ReadonlyMap<string, string>
  /** Output format if the SQL names none. */
  readonly format: string
  /** The rows of an insert, in the format that the SQL names. They belong where it says `ROWS_OF_BODY`. */
  readonly body?: Uint8Array | undefined
}

/** Skips comments and parentheses before the first word. */
const FIRST_WORD = /^(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|\()*([a-z]+)/i

/** Whether the statement only reads, so that a connection for queries can run it. */
export function isRead(sql: string): boolean {
  const word = FIRST_WORD.exec(sql)?.[1]?.toLowerCase()
  return word === "select" || word === "with"
}

/** Whether the statement contains a subquery. Text that looks like one only costs the statement its streaming. */
export function hasSubquery(sql: string): boolean {
  return /\bselect\b[\s\S]*\bselect\b/i.test(sql)
}

/**
 * `SET param_x = '…'` for each parameter. chDB's own parameter call serializes all such statements of the process; a
 * setting affects its connection only. It outlives the statement, which is harmless: each statement sets all parameters
 * that it names, and all clients have the same token.
 */
export function parameterStatements(parameters: ReadonlyMap<string, string>): string {
  return [...parameters].map(([name, value]) => `SET param_${name} = ${stringLiteral(value)};`).join("\n")
}

export const PARAMETER_NAME = /^[a-zA-Z_]\w*$/

/**
 * Calls `run` with a statement that reads the body from a file. The engine copies text within a statement several times,
 * which takes twice as long as the rows themselves, and binary rows cannot be part of it. The file has no name by then,
 * so nothing of it remains if this process ends.
 *
 * @throws {Exception} when the directory has no room for the file.
 */
export async function withBody<Answer>(
  directory: string,
  sql: string,
  body: Uint8Array,
  run: (sql: string) => Promise<Answer>,
): Promise<Answer> {
  const file = await namelessFile(directory, body)
  try {
    return await run(sql.replace(ROWS_OF_BODY, `FROM INFILE '/dev/fd/${file.fd}' COMPRESSION 'none'`))
  } finally {
    await file.close()
  }
}

async function namelessFile(directory: string, body: Uint8Array): Promise<FileHandle> {
  const path = join(directory, `.insert-${randomUUID()}`)
  let file: FileHandle | undefined
  try {
    file = await open(path, "wx+")
    await unlink(path)
    // Writes at a position, because on some systems the engine reads from the position that a write moves.
    for (let at = 0; at < body.length;) at += (await file.write(body, at, body.length - at, at)).bytesWritten
    return file
  } catch (error) {
    await file?.close()
    throw writeFailure((error as NodeJS.ErrnoException).code ?? String(error))
  }
}

function writeFailure(code: string): Exception {
  if (code === "ENOSPC" || code === "EDQUOT") return refuse.full()
  return code === "ENOENT" ? refuse.gone() : refuse.unwritable(code)
}
