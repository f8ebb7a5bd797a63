import { chmodSync, lstatSync, readdirSync, type Stats } from "node:fs"
import { join } from "node:path"

export const ALL_FOR_OTHERS = 0o077
export const WRITABLE_BY_OTHERS = 0o022
const ROOT = 0

/** An entry of another user in a directory that others could write to: that user may have put it there. */
export class ForeignEntry extends Error {
  override readonly name = "ForeignEntry"

  constructor(readonly path: string) {
    super(`${path} belongs to another user`)
  }
}

/** Where users have no ids, as on Windows, nothing belongs to another one. */
export function isForeign({ uid }: Stats, trusted: readonly number[] = []): boolean {
  const own = process.getuid?.()
  return own !== undefined && ![own, ROOT, ...trusted].includes(uid)
}

/** @see closeToOthers */
export interface Closing {
  /** The permissions to remove: those of `ALL_FOR_OTHERS` or fewer. */
  readonly permissions: number
  /** Ids of users whose entries are no foreign ones, besides this user and root. */
  readonly trusted?: readonly number[]
  /** Gets what keeps its permissions, with the code of the error. */
  readonly onFailure: (path: string, code: string | undefined) => void
}

/**
 * Removes permissions of other users from a path and everything below it that others can reach. Changes the entries of a
 * directory before the directory itself, so that a private directory is known to be complete. Never follows a symbolic link.
 * Another process may delete entries meanwhile.
 *
 * @throws {ForeignEntry} when a directory that others could write to has an entry of another user. Its mode, and those of the
 * directories above it, are as before, so that the next call finds the entry as well.
 */
export function closeToOthers(path: string, closing: Closing): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  const isShared = (stats.mode & ALL_FOR_OTHERS) !== 0
  if (!isShared || !(stats.isDirectory() || stats.isFile())) return
  if (stats.isDirectory()) closeEntries(path, stats, closing)
  removePermissions(path, stats, closing.permissions, closing)
}

function closeEntries(directory: string, stats: Stats, closing: Closing): void {
  const isOpen = (stats.mode & WRITABLE_BY_OTHERS) !== 0
  // First, so that no entry appears after it was looked for.
  if (isOpen) removePermissions(directory, stats, WRITABLE_BY_OTHERS, closing)
  try {
    for (const name of namesIn(directory)) {
      const entry = join(directory, name)
      const owned = isOpen ? lstatSync(entry, { throwIfNoEntry: false }) : undefined
      if (owned !== undefined && isForeign(owned, closing.trusted)) throw new ForeignEntry(entry)
      closeToOthers(entry, closing)
    }
  } catch (error) {
    if (isOpen && error instanceof ForeignEntry) chmodSync(directory, stats.mode)
    throw error
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function removePermissions(path: string, { mode }: Stats, permissions: number, { onFailure }: Closing): void {
  if ((mode & permissions) === 0) return
  try {
    chmodSync(path, mode & ~permissions)
  } catch (error) {
    if (!isGone(error)) onFailure(path, (error as NodeJS.ErrnoException).code)
  }
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT"
}
