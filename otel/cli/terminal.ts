import { createInterface } from "node:readline/promises"
import type { DropJson } from "../inspector/queries/drops/drop-reader.ts"
import type { IssueJson } from "../inspector/queries/errors/issue.ts"
import type { LogJson } from "../inspector/queries/logs/log-json.ts"
import { logSummary } from "../inspector/queries/logs/log-text.ts"
import type { TraceSummaryJson } from "../inspector/queries/list/trace-summary.ts"
import { duration, plain } from "../protocol/line-text.ts"
import { withInheritedUmask } from "../protocol/private-files.ts"
import { severityOf } from "../protocol/records/log.ts"
import { serviceName, type SpanRecord } from "../protocol/records/span.ts"

/** What the commands show a person: lines of text, a question, a browser window. */

/** `1 span`, `2 spans`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** Three digits and a decimal unit. */
export function byteText(bytes: number): string {
  if (bytes >= 1e9) return `${Number((bytes / 1e9).toPrecision(3))} GB`
  if (bytes >= 1e6) return `${Number((bytes / 1e6).toPrecision(3))} MB`
  return bytes >= 1e3 ? `${Number((bytes / 1e3).toPrecision(3))} kB` : `${bytes} B`
}

export function dropCountText({
  stage,
  reason,
  category,
  count,
}: Omit<DropJson, "time" | "sample" | "sender">): string {
  return `${count} × ${category} at ${stage}: ${reason}`
}

export function spanLine(span: SpanRecord): string {
  const failed =
    span.status.code === "error" ? `  failed${span.status.message ? `: ${plain(span.status.message)}` : ""}` : ""
  const length = duration(span.endTime - span.startTime).padStart(8)
  return `${clock(span.startTime)}  span   ${length}  ${plain(serviceName(span.resource))}  ${plain(span.name)}${failed}  ${span.traceId}`
}

export function errorLine({ lastSeen, title, services, lastTraceId }: IssueJson): string {
  return `${clock(lastSeen)}  error            ${plain(services.join(", "))}  ${plain(title)}  ${lastTraceId ?? ""}`.trimEnd()
}

export function dropLine({ time, stage, reason, category, count, sample }: DropJson): string {
  return `${clock(time)}  drop             ${stage}  ${count} × ${category}: ${reason}  ${plain(sample)}`.trimEnd()
}

export function logLine({ timeUnixNano, service, traceId, ...log }: LogJson): string {
  const severity = (severityOf(log) ?? "-").padEnd(5)
  return `${clock(timeUnixNano)}  log    ${severity}  ${plain(service)}  ${plain(logSummary(log))}  ${traceId ?? ""}`.trimEnd()
}

export function traceLine(trace: TraceSummaryJson): string {
  const { traceId, name, services, durationNano, spanCount, errorCount, reportedErrorCount = 0 } = trace
  const failed = errorCount === 0 ? "" : `, ${errorCount} failed`
  const reported = reportedErrorCount === 0 ? "" : `, ${countText(reportedErrorCount, "reported error")}`
  return `${traceId}  ${duration(durationNano).padStart(8)}  ${plain(services.join(", "))}  ${plain(name)}  (${countText(spanCount, "span")}${failed}${reported})`
}

function clock(nanos: bigint | string): string {
  return new Date(Number(BigInt(nanos) / 1_000_000n)).toISOString().slice(11, 23)
}

/** Whether a person types at this terminal, so that a question gets an answer. */
export function isInteractive(): boolean {
  return process.stdin.isTTY
}

/** Asks a question on standard error. Only `y` and `yes` confirm. */
export async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
}

/** Whether the person at the terminal would see a browser window: not in CI, not over SSH, not without a display. */
export function isDesktop(environment: NodeJS.ProcessEnv, isTerminal: boolean, platform: NodeJS.Platform): boolean {
  if (!isTerminal || environment["CI"] || environment["SSH_CONNECTION"] || environment["SSH_TTY"]) return false
  return platform !== "linux" || Boolean(environment["DISPLAY"] || environment["WAYLAND_DISPLAY"])
}

/** Opens the address in a browser, on a desktop. Never rejects: the command has printed the address already. */
export async function openOnDesktop(url: string): Promise<void> {
  if (!isDesktop(process.env, process.stdout.isTTY, process.platform)) return
  const { default: open } = await import("open")
  await withInheritedUmask(() => open(url)).catch(() => undefined)
}
