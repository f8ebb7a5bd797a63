import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { Session } from "node:inspector"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMainThread } from "node:worker_threads"

const POLL_MS = 20

/** Where the parts of the process with this id report. */
export function reportDirectory(pid: number): string {
  return join(tmpdir(), `pagespan-path-${pid}`)
}

/**
 * Reports which files of ours run in this thread between two marks, by V8's precise coverage: files named `start` and `stop`
 * in the directory.
 *
 * @param part the name of the thread or process, and so of its report.
 */
export function recordPath(part: string, pid: number): void {
  const directory = reportDirectory(pid)
  mkdirSync(directory, { recursive: true })
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  let isStarted = false
  const timer = setInterval(() => {
    if (!isStarted && existsSync(join(directory, "start"))) {
      isStarted = true
      // Taking it resets the counts.
      session.post("Profiler.takePreciseCoverage", () => writeFileSync(join(directory, `${part}.started`), ""))
    }
    if (!existsSync(join(directory, "stop"))) return
    clearInterval(timer)
    session.post("Profiler.takePreciseCoverage", (_, { result }) => {
      const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      writeFileSync(join(directory, `${part}.json`), JSON.stringify(ran.map(({ url }) => url)))
    })
  }, POLL_MS)
  if (!isMainThread) timer.unref()
}
