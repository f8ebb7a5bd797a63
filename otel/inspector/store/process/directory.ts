import { accessSync, constants, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { PRIVATE_DIRECTORY_MODE } from "../../../protocol/private-files.ts"
import { diskProblem } from "../../disk-problem.ts"
import { isProcessAlive } from "../../process-alive.ts"

/**
 * Creates the directory if it is missing, and checks that it is writable. The engine would report only that it could not
 * open it.
 *
 * @throws {OpenFailure}
 */
export function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  } catch (error) {
    throw failure(directory, "created", blockedBy(directory) ?? error)
  }
  const probe = join(directory, `.writable-${process.pid}`)
  try {
    writeFileSync(probe, "")
    unlinkSync(probe)
  } catch (error) {
    throw failure(directory, "written", error)
  }
}

/** Why the nearest existing directory is not writable. Node's recursive `mkdir` reports `ENOENT` for a read-only file system. */
function blockedBy(path: string): unknown {
  const parent = dirname(path)
  try {
    statSync(parent)
  } catch {
    return parent === path ? undefined : blockedBy(parent) // missing too: try the one above
  }
  try {
    accessSync(parent, constants.W_OK)
    return undefined
  } catch (error) {
    return error
  }
}

function failure(directory: string, action: "created" | "written", error: unknown): OpenFailure {
  const { reason, remedy, isPermanent } = diskProblem(error)
  const why = `The store directory ${directory} cannot be ${action}: ${reason}. ${remedy}.`
  return new OpenFailure(why, isPermanent, { cause: error })
}

/** Why the engine could not be opened and what to do, in one line for people. */
export class OpenFailure extends Error {
  override readonly name = "OpenFailure"
  /** Whether another attempt would fail too. */
  readonly permanent: boolean

  constructor(reason: string, permanent: boolean, options?: ErrorOptions) {
    super(reason, options)
    this.permanent = permanent
  }
}

/**
 * The process that has the directory open, for the error message after chDB refused to open it; `undefined` if there is
 * none. ClickHouse locks a file named `status` in its directory, which contains the owner's process id. The kernel
 * releases the lock however the owner ends, so the lock decides and the text only explains. chDB itself reports the
 * reason on standard error only.
 */
export function directoryOwner(directory: string): number | undefined {
  let status: string
  try {
    status = readFileSync(join(directory, "status"), "utf8")
  } catch {
    return undefined // the directory has never been opened
  }
  const pid = Number(/^PID: (\d+)$/m.exec(status)?.[1])
  return Number.isInteger(pid) && pid !== process.pid && isProcessAlive(pid) ? pid : undefined
}
