import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { StartError } from "./start-error.ts"

/** What an inspector makes in its data directory. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([".gitignore", "forward", "journal", "store"])
const FOR_OTHERS = 0o077
const WRITABLE_BY_OTHERS = 0o022

/**
 * Makes the data directory, makes sure that it can be written, and takes from other users what they may do in it: an
 * earlier version let them read. A directory that holds other things as well keeps its mode, and only what is in it of
 * ours is narrowed. By default it lies in someone's project, so it tells Git to leave it out.
 *
 * @returns its absolute path.
 * @throws {StartError} naming the directory and why it cannot be used.
 */
export function prepareDataDirectory(path: string): string {
  const directory = resolve(path)
  const probe = join(directory, `.write-test-${process.pid}`)
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
    refuseForeign(directory)
    writeFileSync(probe, "", { mode: PRIVATE_FILE_MODE })
    rmSync(probe)
    const entries = readdirSync(directory)
    const isOwn = entries.every((name) => OWN_ENTRIES.has(name))
    if (isOwn) writeFileSync(join(directory, ".gitignore"), "*\n", { mode: PRIVATE_FILE_MODE })
    narrow(isOwn ? [directory] : entries.filter((name) => OWN_ENTRIES.has(name)).map((name) => join(directory, name)))
  } catch (error) {
    if (error instanceof StartError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(`PAGESPAN_DATA is ${JSON.stringify(directory)}, which cannot be written (${code})`)
  }
  return directory
}

/** In a directory of another user's that others write to, anyone could put a directory of theirs in place of ours. */
function refuseForeign(directory: string): void {
  const { uid, mode } = statSync(directory)
  if (uid === (process.getuid?.() ?? uid) || (mode & WRITABLE_BY_OTHERS) === 0) return
  throw new StartError(
    `PAGESPAN_DATA is ${JSON.stringify(directory)}, which belongs to another user and which others can write to: name a directory in it, like ${join(directory, "pagespan")}`,
  )
}

/** A directory comes after what is in it: one that is private has been done. What a symbolic link leads to is not ours. */
function narrow(paths: readonly string[]): void {
  for (const path of paths) {
    const stats = lstatSync(path)
    const isWide = (stats.mode & FOR_OTHERS) !== 0
    if (!isWide || !(stats.isDirectory() || stats.isFile())) continue
    if (stats.isDirectory()) narrow(readdirSync(path).map((name) => join(path, name)))
    try {
      chmodSync(path, stats.mode & ~FOR_OTHERS)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      console.warn(`Other users may read ${path}: its mode cannot be changed (${code})`)
    }
  }
}
