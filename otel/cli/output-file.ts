import { once } from "node:events"
import { createWriteStream, type WriteStream } from "node:fs"
import { PRIVATE_FILE_MODE } from "../protocol/private-files.ts"
import { CommandError, EXIT } from "./exit.ts"

/**
 * Opens a file to write, which only its user can read.
 *
 * @param path to open. @param named how messages name it. Default: the path.
 * @throws {CommandError} when it cannot be written.
 */
export async function openFile(path: string, named = path): Promise<WriteStream> {
  const file = createWriteStream(path, { mode: PRIVATE_FILE_MODE })
  try {
    await once(file, "open")
  } catch (error) {
    throw new CommandError(`${named} cannot be written (${(error as NodeJS.ErrnoException).code})`, EXIT.usage)
  }
  return file
}
