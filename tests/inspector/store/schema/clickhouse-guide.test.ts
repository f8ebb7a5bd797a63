import { readFileSync } from "node:fs"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openStore, type Store } from "#otel/inspector/store/store.ts"
import { secret } from "#otel/protocol/secret.ts"
import { clientOf, processOfFile, TOKEN } from "../process/processes.ts"
import { traceId } from "../spans.ts"
import { DAY_MS } from "../stores.ts"

/** The statements of docs/guide/clickhouse.md. */
const statements = [...readFileSync("docs/guide/clickhouse.md", "utf8").matchAll(/```sql\n([\s\S]*?)```/g)]
  .flatMap(([, block = ""]) => block.split(/;\s*$/m))
  .map((sql) => sql.trim())
  .filter((sql) => sql !== "")

const port = processOfFile()
let store: Store
let client: ClickHouseClient
beforeAll(async () => {
  client = clientOf(port())
  store = openStore(
    { url: secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port()}`) },
    { retentionMs: 7 * DAY_MS },
  )
  await store.ready()
})
afterAll(async () => {
  await store.close()
  await client.close()
})

test("the guide has SQL statements", () => expect(statements.length).toBeGreaterThan(5))

test.each(statements.map((sql) => [sql.split("\n", 1)[0], sql]))("ClickHouse can read: %s", async (_line, sql) => {
  const answer = await client.query({
    query: "SELECT formatQuery({sql:String})",
    query_params: { sql },
    format: "TabSeparated",
  })
  expect(await answer.text()).not.toBe("")
})

test("older spans are listed once they are copied as the guide says, and once even if copied twice", async () => {
  // As an older row: the view that lists rows of a collector skips rows that are marked as Pagespan's.
  await client.command({
    query: `INSERT INTO otel_traces (Timestamp, TraceId, SpanId, SpanName, ServiceName, Duration, StatusCode)
      SETTINGS log_comment = 'pagespan'
      SELECT toStartOfDay(yesterday()) + toIntervalHour(12), '${traceId(7)}', '00000000000000aa', 'old', 'shop', 5, 'Error'`,
  })
  expect((await store.listTraces({ limit: 10 })).traces).toStrictEqual([])
  expect(await store.readTrace(traceId(7))).toHaveLength(1)
  const copy = statements.find((sql) => sql.startsWith("INSERT INTO pagespan_spans"))!
  for (let times = 0; times < 2; times += 1) {
    await client.command({ query: copy })
    expect((await store.listTraces({ limit: 10 })).traces).toMatchObject([
      { traceId: traceId(7), name: "old", services: ["shop"], spanCount: 1, errorCount: 1, sources: ["otlp"] },
    ])
  }
})
