import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"
import { isProcessAlive } from "../../process-alive.ts"
import { processState } from "../../process-state.ts"

/**
 * One process for each journal: two would replay and delete each other's segments. The lock is a file with the owner's
 * process id; one whose owner is gone, or was an earlier process with our own id as happens in containers, is stale.
 */

const held = processState("journals", () => new Set<string>())

/** @throws {Error} when another living process has the journal, or the directory cannot be written. */
export async function lockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.has(path)) throw new Error("this process has the journal open already")
  const owner = await journalOwner(directory)
  if (owner !== undefined) throw new Error(`process ${owner} has the journal open`)
  await rm(path, { force: true })
  await writeFile(path, String(process.pid), { flag: "wx", mode: PRIVATE_FILE_MODE })
  held.add(path)
}

/** The id of another living process that has the journal open. */
export async function journalOwner(directory: string): Promise<number | undefined> {
  const owner = Number(await readFile(join(directory, "lock"), "utf8").catch(() => ""))
  return owner > 0 && owner !== process.pid && isProcessAlive(owner) ? owner : undefined
}

export async function unlockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.delete(path)) await rm(path, { force: true })
}
