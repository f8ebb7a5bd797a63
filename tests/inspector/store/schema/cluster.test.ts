import { readFileSync } from "node:fs"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, beforeAll, expect, test } from "vitest"
import { CLUSTER_SQL, clusterSql } from "#otel/inspector/store/schema/cluster.ts"
import { REMEMBER_INSERTS } from "#otel/inspector/store/schema/ddl.ts"
import { EARLIER_NAMES } from "#otel/inspector/store/schema/migrations.ts"
import { openStore, type Store } from "#otel/inspector/store/store.ts"
import { secret } from "#otel/protocol/secret.ts"
import { clientOf, processOfFile, TOKEN } from "../process/processes.ts"
import { DAY_MS } from "../stores.ts"

/**
 * The cluster's DDL, as far as one engine can check it: it parses, and with its engines replaced by those of one node it
 * creates the tables that Pagespan creates. No test runs it on a cluster.
 */

const port = processOfFile()
let store: Store
let client: ClickHouseClient
beforeAll(async () => {
  store = openStore(
    { url: secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port()}`) },
    { retentionMs: DAY_MS },
  )
  await store.ready()
  client = clientOf(port())
})
afterAll(async () => {
  await client.close()
  await store.close()
})

const file = readFileSync(CLUSTER_SQL, "utf8")

test("cluster.sql matches the schema (npm run reference)", () => expect(file).toBe(clusterSql()))

const statements = file
  .replaceAll(/^--.*$/gm, "")
  .replaceAll("{days}", "7")
  .split(";")
  .map((statement) => statement.trim())
  .filter((statement) => statement !== "")

const NAME = /^CREATE (?:TABLE|MATERIALIZED VIEW) IF NOT EXISTS (\w+)/
const KINDS = { CREATE: "CreateQuery", RENAME: "Rename", ALTER: "AlterQuery" } as const

test.each(statements.map((sql) => [NAME.exec(sql)?.[1] ?? sql, sql]))("the engine can read %s", async (_name, sql) => {
  const answer = await client.query({ query: `EXPLAIN AST ${sql}`, format: "TabSeparated" })
  const [word = ""] = sql.split(" ", 1)
  expect((await answer.text()).startsWith(KINDS[word as keyof typeof KINDS])).toBe(true)
})

test("a statement that the engine cannot read is found", async () => {
  await expect(client.query({ query: "EXPLAIN AST CREATE TABLE t ON CLUSTER (" })).rejects.toMatchObject({ code: "62" })
})

const tables = statements.filter((sql) => !sql.includes("Distributed") && sql.startsWith("CREATE TABLE"))

test.each(tables.map((sql) => [NAME.exec(sql)?.[1] ?? sql, sql]))(
  "%s has the columns, indexes, keys and partitions of the table that Pagespan makes",
  async (name, sql) => {
    const single = sql
      .replaceAll(/ON CLUSTER '\{cluster\}'/g, "")
      .replaceAll(/Replicated(\w*MergeTree)\([^)]*\)/g, "$1")
      .replace(name, `cluster_${name}`)
    await client.command({ query: single })
    const shape = async (table: string) => {
      const answer = await client.query({
        query: `SELECT replaceRegexpOne(create_table_query, '^CREATE TABLE \\\\S+ ', '') AS ddl FROM system.tables WHERE name = {table:String}`,
        query_params: { table },
        format: "JSONEachRow",
      })
      const [row] = await answer.json<{ ddl: string }>()
      // Replicated tables recognise a repeated insert through Keeper.
      return row?.ddl.replaceAll(/TTL .*?(?= SETTINGS)/g, "TTL").replace(`, ${REMEMBER_INSERTS}`, "")
    }
    const made = await shape(name.replace(/_local$/, ""))
    expect(made).toMatch(/^\(/)
    expect(await shape(`cluster_${name}`)).toBe(made)
  },
)

test("the cluster has every table and view that Pagespan makes", async () => {
  const answer = await client.query({
    query: `SELECT name FROM system.tables WHERE database = currentDatabase() AND NOT startsWith(name, 'cluster_')
      ORDER BY name`,
    format: "JSONEachRow",
  })
  const made = (await answer.json<{ name: string }>()).map(({ name }) => name)
  const named = statements.flatMap((sql) => NAME.exec(sql)?.[1] ?? [])
  expect(named.filter((name) => !name.endsWith("_local")).toSorted()).toStrictEqual(made)
})

test("cluster.sql renames every table that had another name in an earlier version, before it creates any", () => {
  const renames = statements.filter((sql) => sql.startsWith("RENAME"))
  expect(renames).toStrictEqual(statements.slice(0, renames.length))
  const names = renames.map((sql) => /^RENAME TABLE IF EXISTS (\w+) TO (\w+) ON CLUSTER/.exec(sql)?.slice(1))
  expect(names).toStrictEqual([...EARLIER_NAMES])
})
