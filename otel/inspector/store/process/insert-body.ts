import { randomUUID } from "node:crypto"
import { type FileHandle, open, unlink } from "node:fs/promises"
import { join } from "node:path"
import { type Exception, refuse } from "./exception.ts"

/**
 * The rows of an insert, which the engine reads from a file: of text within the statement it makes several copies, for
 * which it takes twice as long as for the rows themselves, and what is not text cannot stand there.
 */

/** What an insert says before its settings and its format: the table, and the columns where it names them. */
const INSERT_HEAD = /^\s*INSERT\s+INTO\s+(?:TABLE\s+)?[\w.`]+\s*(?:\([^)]*\))?/i

export function isInsert(sql: string): boolean {
  return INSERT_HEAD.test(sql)
}

/**
 * Calls `run` with the statement that reads the body. The file has no name by then: whatever happens to this process,
 * nothing is left of it.
 *
 * @throws {Exception} where the directory takes no file of that size.
 */
export async function withBody<Answer>(
  directory: string,
  sql: string,
  body: Uint8Array,
  run: (sql: string) => Promise<Answer>,
): Promise<Answer> {
  const file = await namelessFile(directory, body)
  try {
    return await run(sql.replace(INSERT_HEAD, `$& FROM INFILE '/dev/fd/${file.fd}' COMPRESSION 'none' `))
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
    // At a position: the place from which the engine reads on some systems is the one that a write moves.
    for (let at = 0; at < body.length;) at += (await file.write(body, at, body.length - at, at)).bytesWritten
    return file
  } catch (error) {
    await file?.close()
    throw whyNot((error as NodeJS.ErrnoException).code ?? String(error))
  }
}

function whyNot(code: string): Exception {
  if (code === "ENOSPC" || code === "EDQUOT") return refuse.full()
  return code === "ENOENT" ? refuse.gone() : refuse.unwritable(code)
}
