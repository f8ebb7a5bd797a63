/** Whether a process with the id runs on this machine. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process runs under another user.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
