import { expect, test } from "vitest"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { ClickHouse } from "#otel/inspector/store/clickhouse.ts"
import { listTraces } from "#otel/inspector/store/read/traces/list-traces.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

/** The tables that a page of a list reads, without one of its traces. */
async function tablesOf(query: Partial<Parameters<typeof listTraces>[1]>): Promise<Set<string>> {
  const tables = new Set<string>()
  const from = (table: string) => {
    tables.add(table)
    return table
  }
  const clickhouse = { endpoint: { embedded: true }, select: async () => [] } as unknown as ClickHouse
  const order = { by: "duration", isAscending: false } as const
  await listTraces({ clickhouse, oldest: nanoseconds(0n), from }, { limit: 10, order, ...query })
  return tables
}

test("a list of all traces in another order than that of time looks up no ids of traces that are all of them", async () => {
  expect(await tablesOf({})).toEqual(new Set(["pagespan_spans"]))
  expect(await tablesOf({ filter: parseFilter("duration>1s").tree })).toEqual(new Set(["pagespan_spans"]))
})

test("a list of the traces of a time, or of a service, in another order looks up their ids", async () => {
  const both = new Set(["pagespan_spans", "pagespan_starts"])
  expect(await tablesOf({ since: nanoseconds(1n) })).toEqual(both)
  expect(await tablesOf({ service: "web" })).toEqual(both)
})
