import { type ChildProcess, spawn, spawnSync } from "node:child_process"

/** Whether this process may mount file systems. */
export function canMount(): boolean {
  return spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" }).status === 0
}

export interface Place {
  readonly cwd: string
  /** The only directory that can be written. It is empty for the program. */
  readonly writable: string
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Runs a program as a container does: as that user, without capabilities, in a mount namespace whose root is read-only.
 *
 * @param user as `uid:gid`.
 */
export function spawnOnReadOnlyRoot(
  user: string,
  program: readonly string[],
  { cwd, writable, environment }: Place,
): ChildProcess {
  const [uid = "", gid = ""] = user.split(":")
  const script = `
    mount -t tmpfs -o mode=0700,uid=${uid},gid=${gid} tmpfs "$0"
    mount -o remount,bind,ro /
    exec setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`
  return spawn("unshare", ["--mount", "sh", "-ec", script, writable, ...program], {
    cwd,
    env: environment as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  })
}
