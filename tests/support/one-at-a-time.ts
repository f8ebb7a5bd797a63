import { createHash } from "node:crypto"
import { mkdirSync, rmdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { waitFor } from "./wait-for.ts"

const WORK_LIMIT_MS = 180_000

/** Test files run side by side, and several use the same build: the first makes it in the directory, the others wait. */
export async function oneAtATime<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), `pagespan-build-${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`)
  await waitFor("another build to end", () => takeLock(lock), WORK_LIMIT_MS * 2)
  try {
    return await work()
  } finally {
    rmdirSync(lock)
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    // Someone has it; whoever has it for longer than a build may take was killed.
    const stats = statSync(lock, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > WORK_LIMIT_MS) rmdirSync(lock)
    return false
  }
}
