import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** Clock ticks per second in `/proc/{pid}/stat`. */
const TICKS_A_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))

/** CPU seconds of the process, its threads and its running children. */
export function cpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean)
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
  return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), own)
}

/** CPU milliseconds of the process and its running threads, to the nanosecond. */
export function threadMilliseconds(pid: number): number {
  const runs = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")
    return Number(nanoseconds)
  })
  return runs.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
}

/** Resident memory of the process without its children, in MiB. */
function residentMiB(pid: number): number {
  const [, kibibytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Math.round(Number(kibibytes) / 1_024)
}

/** Resident memory of the process in MiB: at the start of the work, every second, and at its end. */
export async function watchMemory<Result>(pid: number, work: () => Promise<Result>): Promise<[Result, number[]]> {
  const series = [residentMiB(pid)]
  const timer = setInterval(() => series.push(residentMiB(pid)), 1_000)
  try {
    const result = await work()
    series.push(residentMiB(pid))
    return [result, series]
  } finally {
    clearInterval(timer)
  }
}
