import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A new directory for one test file or test. */
export function temporaryDirectory(): string {
  return mkdtempSync(join(tmpdir(), "pagespan-store-"))
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}

/** A directory that is removed after the test. */
export function directoryOfTest(): string {
  const directory = temporaryDirectory()
  onTestFinished(() => removeDirectory(directory))
  return directory
}
