import { createHash } from "node:crypto"
import { mkdirSync, rmdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { waitFor } from "./wait-for.ts"

/** A lock that is older belonged to a process that was killed. */
const WORK_LIMIT_MS = 180_000

/** Runs the work of one process at a time per directory, for builds that several test files need. */
export async function oneAtATime<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), `pagespan-build-${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`)
  await waitFor("another build to end", () => acquireLock(lock), WORK_LIMIT_MS * 2)
  try {
    return await work()
  } finally {
    rmdirSync(lock)
  }
}

function acquireLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    // Another process holds the lock.
    const stats = statSync(lock, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > WORK_LIMIT_MS) rmdirSync(lock)
    return false
  }
}
