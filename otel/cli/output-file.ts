import { once } from "node:events"
import { createWriteStream, type WriteStream } from "node:fs"
import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"
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
    throw notWritable(named, error)
  }
  return file
}

/**
 * Makes the directory of a report that will be written.
 *
 * @throws {CommandError} when it cannot be made.
 */
export async function makeDirectoryOf(path: string): Promise<void> {
  const directory = dirname(path)
  try {
    await mkdir(directory, { recursive: true })
  } catch (error) {
    throw notWritable(directory, error)
  }
}

/** @param error of the system. */
export function notWritable(path: string, error: unknown): CommandError {
  return new CommandError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`, EXIT.usage)
}
