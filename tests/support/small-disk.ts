import { execFileSync } from "node:child_process"
import { onTestFinished } from "vitest"

/**
 * Mounts a small file system until the end of the test.
 *
 * @param options of `mount`, such as `size=40m`.
 * @returns `false` without the permission to mount: the test reports that and is skipped.
 */
export function mountSmallDisk(directory: string, options: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "ignore" })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", directory]))
  return true
}
