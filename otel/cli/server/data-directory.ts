import { mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { lockOwner } from "../../inspector/directory-lock.ts"
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { ALL_FOR_OTHERS, closeToOthers, ForeignEntry, WRITABLE_BY_OTHERS } from "./close-to-others.ts"
import { StartError } from "./start-error.ts"

/** The entries that an inspector creates in its data directory. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  ".gitignore",
  "forward",
  "journal",
  "saved-filters.json",
  // While it is written.
  "saved-filters.json.next",
  "source-maps",
  "store",
])

/**
 * Creates the data directory, checks that this inspector and no other user can write to it and that no other inspector uses
 * it, and removes the permissions of other users, which an earlier version granted. In a directory with other entries, only
 * the inspector's own entries change. The directory is often inside a project, so it gets a `.gitignore`.
 *
 * @returns its absolute path.
 * @throws {StartError} with the directory and why it cannot be used.
 */
export async function prepareDataDirectory(path: string): Promise<string> {
  const directory = resolve(path)
  try {
    prepare(directory)
  } catch (error) {
    if (error instanceof StartError) throw error
    if (error instanceof ForeignEntry)
      throw new StartError(
        `PAGESPAN_DATA is ${JSON.stringify(directory)}, which others can write to, and ${error.path} belongs to another user: remove it, or set PAGESPAN_DATA to another directory`,
      )
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(
      `PAGESPAN_DATA is ${JSON.stringify(directory)}, which cannot be written (${code}): set it to a directory that you can write to`,
    )
  }
  const owner = await lockOwner(join(directory, "journal"))
  if (owner === undefined) return directory
  throw new StartError(
    `PAGESPAN_DATA is ${JSON.stringify(directory)}, which another Pagespan uses (process ${owner}): open that one, or set PAGESPAN_DATA to another directory`,
  )
}

function prepare(directory: string): void {
  const probe = join(directory, `.write-test-${process.pid}`)
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  const entries = readdirSync(directory)
  const isOwn = entries.every((name) => OWN_ENTRIES.has(name))
  refuseSharedDirectory(directory, isOwn)
  const own = isOwn
    ? [realpathSync(directory)]
    : entries.filter((name) => OWN_ENTRIES.has(name)).map((name) => join(directory, name))
  for (const path of own) closeToOthers(path, { permissions: ALL_FOR_OTHERS, onFailure: warn })
  writeFileSync(probe, "", { mode: PRIVATE_FILE_MODE })
  rmSync(probe)
  if (isOwn) writeFileSync(join(directory, ".gitignore"), "*\n", { mode: PRIVATE_FILE_MODE })
}

/**
 * In a directory that others can write to, anyone could replace the inspector's entries. One with nothing but those becomes
 * private; one with other entries keeps its mode, so it is refused.
 */
function refuseSharedDirectory(directory: string, isOwn: boolean): void {
  const { uid, mode } = statSync(directory)
  if ((mode & WRITABLE_BY_OTHERS) === 0) return
  const isMine = uid === (process.getuid?.() ?? uid)
  if (isMine && isOwn) return
  const whose = isMine ? "" : "belongs to another user and which "
  const remedy = isMine ? "remove their permission (chmod go-w), or " : ""
  throw new StartError(
    `PAGESPAN_DATA is ${JSON.stringify(directory)}, which ${whose}others can write to: ${remedy}set it to a directory inside, like ${join(directory, "pagespan")}`,
  )
}

function warn(path: string, code: string | undefined): void {
  console.warn(`Other users may be able to read ${path}: its mode cannot be changed (${code})`)
}
