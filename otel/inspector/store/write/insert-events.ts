import type { ErrorEvent } from "../../../protocol/records/error.ts"
import type { LogRecord } from "../../../protocol/records/log.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { toErrorRow } from "../rows/error-row.ts"
import { toLogRow } from "../rows/log-row.ts"
import { countExpired, type Retention } from "./expired.ts"
import { insertRows } from "./insert.ts"

export async function insertErrors(
  clickhouse: ClickHouse,
  errors: readonly ErrorEvent[],
  batchId: string,
  retention: Retention,
): Promise<void> {
  const kept = errors.filter(({ time }) => time >= retention.oldest)
  await insertRows(clickhouse, { table: "pagespan_errors", batchId, rows: kept.map(toErrorRow) })
  await countExpired(clickhouse, "error", errors.length - kept.length, batchId, retention)
}

export async function insertLogs(
  clickhouse: ClickHouse,
  logs: readonly LogRecord[],
  batchId: string,
  retention: Retention,
): Promise<void> {
  const kept = logs.filter(({ time }) => time >= retention.oldest)
  await insertRows(clickhouse, { table: "pagespan_logs", batchId, rows: kept.map(toLogRow) })
  await countExpired(clickhouse, "log_item", logs.length - kept.length, batchId, retention)
}
