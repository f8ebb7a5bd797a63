import type { ChildProcess } from "node:child_process"

const LIMIT_MS = 5_000

/** Ends a process by SIGTERM, if it runs, and by SIGKILL five seconds later. @returns its exit code. */
export async function endProcess(child: ChildProcess): Promise<number | null> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  const timeout = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS)
  await exited
  clearTimeout(timeout)
  return child.exitCode
}
