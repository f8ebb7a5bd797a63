import { join } from "node:path"
import type { ClickHouseClient } from "@clickhouse/client"
import { expect, test } from "vitest"
import { directoryOfTest } from "../directories.ts"
import { clientOf, portOf, processOfTest } from "../process/processes.ts"
import { ago, span } from "../spans.ts"
import { DAY_MS, storeOfTest } from "../stores.ts"

const TABLES = ["otel_traces", "pagespan_spans"]

async function partsOf(client: ClickHouseClient): Promise<string[]> {
  const query = `SELECT concat(table, ' ', toString(count()), ' of ', toString(uniqExact(partition_id))) AS parts
    FROM system.parts WHERE active AND table IN ('${TABLES.join("', '")}') GROUP BY table ORDER BY table`
  const answer = await client.query({ query, format: "JSONEachRow" })
  return (await answer.json<{ parts: string }>()).map(({ parts }) => parts)
}

test("the parts of a day that gets no more spans become one", async () => {
  const dataDirectory = directoryOfTest()
  const store = storeOfTest({ dataDirectory })
  await store.ready()
  for (const [number, day] of [2, 2, 2, 1, 1, 1].entries())
    await store.insertSpans([span(number + 1, number + 1, { startTime: ago(day * DAY_MS) })], `insert ${number}`)
  await store.close()

  const client = clientOf(await portOf(processOfTest(), join(dataDirectory, "clickhouse")))
  const query =
    "SELECT name FROM system.tables WHERE create_table_query LIKE '%min_age_to_force_merge_seconds = 21600,%'"
  const tables = await (await client.query({ query, format: "JSONEachRow" })).json<{ name: string }>()
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(TABLES))
  expect(await partsOf(client)).toEqual(["otel_traces 6 of 2", "pagespan_spans 6 of 2"])
  // Nobody waits six hours here.
  for (const table of TABLES)
    await client.command({ query: `ALTER TABLE ${table} MODIFY SETTING min_age_to_force_merge_seconds = 1` })
  await expect.poll(() => partsOf(client), { timeout: 60_000 }).toEqual(["otel_traces 2 of 2", "pagespan_spans 2 of 2"])
  await client.close()
}, 90_000)
