import { link, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PRIVATE_FILE_MODE } from "../protocol/private-files.ts"
import { becomeOwner, livingOwner, type ProcessOwner, removeOwnerFile } from "./process-owner.ts"
import { processState } from "./process-state.ts"

/** A lock that one process at a time has on a directory: an owner file, which is stale when its owner has ended. */

const held = processState("locks", () => new Map<string, ProcessOwner | undefined>())

/** @throws {DirectoryInUse} when another running process holds the lock. Any other error: the directory cannot be written. */
export async function lockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.has(path)) throw new DirectoryInUse(process.pid)
  held.set(path, undefined)
  const owner = await becomeOwner(directory, "lock")
  const mine = join(directory, `lock.${owner.name}`)
  try {
    await writeFile(mine, owner.text, { mode: PRIVATE_FILE_MODE })
    if (!(await claim(mine, path, owner))) await replaceStaleLock(directory, mine, owner)
    held.set(path, owner)
  } catch (error) {
    held.delete(path)
    await owner.release()
    throw error
  } finally {
    await rm(mine, { force: true }).catch(() => undefined)
  }
}

export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse"

  /** @param owner id of the process that has the lock; 0 where it has just changed hands. */
  constructor(readonly owner: number) {
    super(`process ${owner} has the lock`)
  }
}

/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"])

/** Creates the lock with its text at once, so that no process reads an empty one. `false` when there is one already. */
async function claim(mine: string, path: string, { text }: ProcessOwner): Promise<boolean> {
  try {
    await link(mine, path)
    return true
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return false
    if (!NO_LINKS.has(code)) throw error
    return writeFile(path, text, { flag: "wx", mode: PRIVATE_FILE_MODE }).then(
      () => true,
      () => false,
    )
  }
}

/**
 * Several processes may start on the directory of a dead one at the same time. Only the one with the second lock may remove
 * the stale first one; otherwise a slow process would remove the lock that a fast one has just created.
 */
async function replaceStaleLock(directory: string, mine: string, owner: ProcessOwner): Promise<void> {
  const path = join(directory, "lock")
  const right = join(directory, "lock.replacing")
  if (!(await claim(mine, right, owner))) {
    const replacing = await livingOwner(right)
    if (replacing !== undefined) throw new DirectoryInUse(replacing)
    // It died while it replaced the lock, which takes a millisecond. The next attempt to open may replace it.
    await removeOwnerFile(right)
    throw new Error("the lock of a dead process is in the way")
  }
  try {
    const other = await livingOwner(path)
    if (other !== undefined) throw new DirectoryInUse(other)
    await removeOwnerFile(path)
    if (!(await claim(mine, path, owner))) throw new DirectoryInUse((await livingOwner(path)) ?? 0)
  } finally {
    await rm(right, { force: true })
  }
}

/** The id of a living process that has the lock. */
export function lockOwner(directory: string): Promise<number | undefined> {
  return livingOwner(join(directory, "lock"))
}

export async function unlockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  const owner = held.get(path)
  if (owner === undefined) return
  await rm(path, { force: true })
  await owner.release()
  held.delete(path)
}
