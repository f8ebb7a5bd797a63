import { accessSync, constants, mkdirSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { PRIVATE_DIRECTORY_MODE } from "../../../protocol/private-files.ts"
import { OpenFailure } from "./open-failure.ts"

/** What the file system can answer, in words, and whether it may answer otherwise later. */
const REASONS: ReadonlyMap<string, readonly [words: string, permanent: boolean]> = new Map([
  ["EACCES", ["we are not allowed to", true]],
  ["EPERM", ["we are not allowed to", true]],
  ["ENOTDIR", ["a part of the path is not a directory", true]],
  ["EEXIST", ["there is a file of that name", true]],
  ["ENAMETOOLONG", ["the path is too long", true]],
  ["EROFS", ["the file system is read-only", false]],
  ["ENOSPC", ["the disk is full", false]],
  ["EDQUOT", ["the disk quota is used up", false]],
  ["EIO", ["the disk fails", false]],
])

/**
 * Makes the directory where it is missing and checks that files can be written in it. The engine itself would say only
 * that it could not open it.
 *
 * @throws {OpenFailure}
 */
export function prepareDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY_MODE })
  } catch (error) {
    throw failure(directory, "made", blockedBy(directory) ?? error)
  }
  const probe = join(directory, `.writable-${process.pid}`)
  try {
    writeFileSync(probe, "")
    unlinkSync(probe)
  } catch (error) {
    throw failure(directory, "written", error)
  }
}

/** Why nothing can be made below the nearest directory that exists. Node's recursive `mkdir` says `ENOENT` for a read-only file system. */
function blockedBy(path: string): unknown {
  const parent = dirname(path)
  try {
    statSync(parent)
  } catch {
    return parent === path ? undefined : blockedBy(parent) // not there either: the one above it tells
  }
  try {
    accessSync(parent, constants.W_OK)
    return undefined
  } catch (error) {
    return error
  }
}

function failure(directory: string, what: "made" | "written", error: unknown): OpenFailure {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error"
  const [words, permanent] = REASONS.get(code) ?? [code, false]
  return new OpenFailure(`The store directory ${directory} cannot be ${what}: ${words}.`, permanent, { cause: error })
}
