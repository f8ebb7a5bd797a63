import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isProcessAlive } from "../../process-alive.ts"

/** Why the engine could not be opened, in one line for people. */
export class OpenFailure extends Error {
  override readonly name = "OpenFailure"
  /** Whether trying again can help. */
  readonly permanent: boolean

  constructor(reason: string, permanent: boolean, options?: ErrorOptions) {
    super(reason, options)
    this.permanent = permanent
  }
}

/**
 * Which process has the directory open, asked after chDB refused to open it; `undefined` when that was not why.
 * ClickHouse keeps a locked file named `status` in its directory, with the owner's process id as text. The kernel
 * drops the lock however the owner dies, so the lock decides and the text only explains: chDB says why it refused on
 * standard error alone.
 */
export function directoryOwner(directory: string): number | undefined {
  let status: string
  try {
    status = readFileSync(join(directory, "status"), "utf8")
  } catch {
    return undefined // no file: the directory has never been opened
  }
  const pid = Number(/^PID: (\d+)$/m.exec(status)?.[1])
  return Number.isInteger(pid) && pid !== process.pid && isProcessAlive(pid) ? pid : undefined
}
