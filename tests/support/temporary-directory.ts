import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { removeDirectory } from "./remove-directory.ts"

/** An empty directory that is deleted after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "pagespan-test-"))
  onTestFinished(() => removeDirectory(directory))
  return directory
}
