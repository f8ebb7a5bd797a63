import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** Clock ticks per second in `/proc/{pid}/stat`. */
const TICKS_A_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))

/** CPU seconds of the process, its threads and its running children. */
export function cpuSeconds(pid: number): number {
  return processTree(pid).reduce((sum, process) => sum + ownCpuSeconds(process), 0)
}

function ownCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

/** CPU milliseconds of the process and its running threads, to the nanosecond. */
export function threadMilliseconds(pid: number): number {
  const runs = readdirSync(`/proc/${pid}/task`).map((thread) => oneThreadMilliseconds(pid, thread))
  return runs.reduce((sum, milliseconds) => sum + milliseconds, 0)
}

function oneThreadMilliseconds(pid: number, thread: string): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")
  return Number(nanoseconds) / 1e6
}

/** CPU seconds of an inspector by its parts. */
export interface CpuParts {
  /** The thread of the endpoints: the main thread of the first process. */
  readonly handlers: number
  /** Its other threads: the store writer, and those of V8. */
  readonly threads: number
  /** Its child processes: the store. */
  readonly store: number
}

export function cpuParts(pid: number): CpuParts {
  const handlers = oneThreadMilliseconds(pid, String(pid)) / 1_000
  const [, ...children] = processTree(pid)
  return {
    handlers,
    threads: threadMilliseconds(pid) / 1_000 - handlers,
    store: children.reduce((sum, child) => sum + threadMilliseconds(child), 0) / 1_000,
  }
}

/** The process, its children, and theirs. */
export function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean)
  return [pid, ...children.flatMap((child) => processTree(Number(child)))]
}

/** Open file descriptors of the process: files, sockets, pipes, timers of the event loop. */
export function openHandles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Resident memory of the process without its children, in MiB. */
export function residentMiB(pid: number): number {
  return statusMiB(pid, "VmRSS")
}

/** The most that it has had. */
export function highestMiB(pid: number): number {
  return statusMiB(pid, "VmHWM")
}

function statusMiB(pid: number, name: string): number {
  const line = readFileSync(`/proc/${pid}/status`, "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`))
  return Math.round(Number.parseInt(line?.slice(name.length + 1) ?? "0", 10) / 1_024)
}

/** Resident memory of the process and its children, in MiB. Pages that they share count for each. */
function treeMiB(pid: number): number {
  return processTree(pid).reduce((sum, process) => sum + residentMiB(process), 0)
}

/** Resident memory of the process and its children in MiB: at the start of the work, every second, and at its end. */
export async function watchMemory<Result>(pid: number, work: () => Promise<Result>): Promise<[Result, number[]]> {
  const series = [treeMiB(pid)]
  const timer = setInterval(() => series.push(treeMiB(pid)), 1_000)
  try {
    const result = await work()
    series.push(treeMiB(pid))
    return [result, series]
  } finally {
    clearInterval(timer)
  }
}
