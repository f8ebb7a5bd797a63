import { createHash } from "node:crypto"
import { mkdirSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { safely } from "#otel/protocol/safely.ts"
import { waitFor } from "./wait-for.ts"

/** The holder of a lock touches it this often. One that nobody touched for long belonged to a process that was killed. */
const TOUCH_MS = 5_000
const ABANDONED_MS = 60_000
/** Less than a hook may take, so that the error names what it waited for. */
const WAIT_LIMIT_MS = 540_000

/** Runs the work of one process at a time per directory, for builds that several test files need. */
export async function oneAtATime<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), `pagespan-build-${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`)
  await waitFor("another build to end", () => acquireLock(lock), WAIT_LIMIT_MS)
  // Whoever empties the temporary folder may have removed it.
  const touching = setInterval(() => safely(() => utimesSync(lock, new Date(), new Date())), TOUCH_MS)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    rmSync(lock, { recursive: true, force: true })
  }
}

function acquireLock(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    // Another process holds the lock.
    const stats = statSync(lock, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS) rmSync(lock, { recursive: true, force: true })
    return false
  }
}
