import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { StartError } from "./fail.ts"

/**
 * Makes the data directory and makes sure that it can be written. By default it lies in someone's project, so it tells
 * Git to leave it out.
 *
 * @returns its absolute path.
 * @throws {StartError} naming the directory and why it cannot be used.
 */
export function prepareDataDirectory(path: string): string {
  const directory = resolve(path)
  const probe = join(directory, `.write-test-${process.pid}`)
  try {
    mkdirSync(directory, { recursive: true })
    writeFileSync(probe, "")
    rmSync(probe)
    writeFileSync(join(directory, ".gitignore"), "*\n")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(`PAGESPAN_DATA is ${JSON.stringify(directory)}, which cannot be written (${code})`)
  }
  return directory
}
