import { severityOf } from "../../protocol/records/log.ts"
import { AttributeWriter, boundedList, delimited, stored, withoutSecrets } from "../queries/agent-text.ts"
import type { LogJson, LogValue } from "../queries/logs/log-json.ts"
import { plainValue } from "../queries/logs/log-text.ts"
import { LOG_FIELDS } from "../search/index.ts"
import { headOf, type ToolQueries, type ToolResult } from "./tool.ts"

/** Characters of a body, and of an attribute's value. */
const BODY_LIMIT = 500
const VALUE_LIMIT = 200

interface LogsInput {
  readonly filter: string
  readonly traceId?: string | undefined
  readonly since?: string | undefined
  readonly limit: number
}

/** The tool get_logs: one line for each log, of a trace by time, else newest first. */
export async function getLogs(queries: ToolQueries, input: LogsInput): Promise<ToolResult> {
  const { filter, traceId, since, limit } = input
  const found = await queries.logs(traceId, {
    limit: String(limit),
    ...(filter !== "" && { q: filter }),
    ...(since !== undefined && { since }),
  })
  const writer = new AttributeWriter<LogValue>(VALUE_LIMIT, valueText)
  const all = found.map((log) => logFacts(log, writer))
  const order = traceId === undefined ? "newest first" : "by time"
  const { text, entries: logs } = boundedList(
    headOf(filter, `${all.length} logs, ${order}${all.length === limit ? " (there may be more)" : ""}:`, LOG_FIELDS),
    all,
    (log) =>
      `${log.time} ${log.severity} ${delimited(log.service)} ${delimited(log.body === "" ? log.eventName : log.body)}${log.traceId === null ? "" : ` trace ${log.traceId} span ${log.spanId ?? "none"}`}`,
  )
  return { text, structured: { logs, omittedAttributes: writer.omitted } }
}

function logFacts(log: LogJson, writer: AttributeWriter<LogValue>) {
  return {
    time: new Date(Number(BigInt(log.timeUnixNano) / 1_000_000n)).toISOString(),
    severity: severityOf(log) ?? "unset",
    severityText: stored(log.severityText),
    service: stored(log.service),
    body: stored(valueText(log.body), BODY_LIMIT),
    eventName: stored(log.eventName),
    traceId: log.traceId,
    spanId: log.spanId,
    attributes: writer.write(Object.entries(log.attributes)),
  }
}

function valueText(value: LogValue): string {
  return value === null ? "" : withoutSecrets(plainValue(value))
}
