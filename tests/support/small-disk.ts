import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, rmdirSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { waitFor } from "./wait-for.ts"

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

/**
 * Mounts the directory over itself, read-only: what is opened from now on cannot be written. Files that are open already can,
 * as on a network file system.
 *
 * @returns makes it writable again.
 */
export function coverReadOnly(directory: string): () => void {
  execFileSync("mount", ["--bind", directory, directory])
  execFileSync("mount", ["-o", "remount,bind,ro", directory])
  let isCovered = true
  const uncover = () => {
    if (isCovered) execFileSync("umount", ["--lazy", directory])
    isCovered = false
  }
  onTestFinished(uncover)
  return uncover
}

/** A disk with a journal, in a file, which can fail as a real one does. */
export interface FailingDisk {
  /** As the kernel does after an error of the disk: every write fails from now on, also of open files. */
  becomeReadOnly(): void
  /** Unmounts it once nothing uses it, and mounts it again. */
  repair(): Promise<void>
}

/** @returns `undefined` without the permission to mount. */
export function mountFailingDisk(directory: string, image: string): FailingDisk | undefined {
  const mount = () => execFileSync("mount", ["-o", "loop,errors=remount-ro", image, directory], { stdio: "ignore" })
  try {
    writeFileSync(image, "")
    truncateSync(image, 200 * 2 ** 20)
    execFileSync("mkfs.ext4", ["-q", image], { stdio: "ignore" })
    mount()
  } catch {
    return undefined
  }
  chmodSync(directory, 0o700)
  rmdirSync(join(directory, "lost+found"))
  onTestFinished(() => void execFileSync("umount", ["--lazy", directory]))
  return {
    becomeReadOnly: () => void execFileSync("mount", ["-o", "remount,abort", directory]),
    async repair() {
      await waitFor("the end of all use", () => spawnSync("umount", [directory]).status === 0)
      mount()
    },
  }
}
