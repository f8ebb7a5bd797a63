import { createTableOnCluster, createViewOnCluster, type Table, type View } from "./ddl.ts"
import { ADDED_COLUMNS, EARLIER_NAMES, RENAME_VALUES, SCHEMA } from "./migrations.ts"
import { APPLIED_MIGRATIONS, DROPPED, ITEMS, RETAINED_COPIES } from "./record-tables.ts"

/** Where the file is that the function below writes (`npm run reference`). */
export const CLUSTER_SQL = "otel/inspector/store/schema/cluster.sql"

const HEADER = `-- The schema on a cluster: replicated tables on every node, spread over its shards by trace.
--
-- Generated from the tables in this directory (npm run reference); do not edit it.
--
-- An administrator runs it before Pagespan first connects, and again after an upgrade of Pagespan: a statement that has
-- been run changes nothing. Pagespan creates no table that it finds. It queries the tables without \`_local\`, on any
-- node. All rows of a trace are on one shard, which the queries of the trace list rely on
-- (\`distributed_product_mode = 'local'\`).
--
-- Needs the macros {shard} and {replica} on every node. Replace {cluster} with the name of the cluster and {days} with
-- the number of days to retain.`

const RENAMES = `-- Tables of Pagespan before schema version 9 have other names. Their paths in ZooKeeper or Keeper stay: create a later
-- replica with the path that SHOW CREATE TABLE prints.`

/** The text of `cluster.sql`: the tables that `migrate` creates on one node, replicated and distributed. */
export function clusterSql(): string {
  const tables = SCHEMA.filter((one) => !isOnEveryNode(one) && one !== ITEMS)
  const small = SCHEMA.filter((one) => isOnEveryNode(one) && !isOfRun(one))
  const renames = [...EARLIER_NAMES].map(
    ([from, to]) => `RENAME TABLE IF EXISTS ${from} TO ${to} ON CLUSTER '{cluster}'`,
  )
  return [
    HEADER,
    RENAMES,
    ...renames.map(terminated),
    "-- Spans.",
    ...tables.flatMap(statements),
    "-- Items of Sentry envelopes, with their payloads: spread over the shards by their own id.",
    ...statements(ITEMS),
    "-- Small tables: every node has all rows.",
    ...small.flatMap(statements),
    `-- Values that ${DROPPED.name} had before schema version 9.`,
    ...RENAME_VALUES.map(terminated),
    "-- Columns that tables of an earlier version do not have.",
    ...ADDED_COLUMNS.map(terminated),
    "-- Copies of retained runs, limited in number: every node has all rows, and none expires.",
    ...SCHEMA.filter(isOfRun).flatMap(statements),
    ...statements(APPLIED_MIGRATIONS),
  ]
    .join("\n\n")
    .concat("\n")
}

function statements(one: Table | View): readonly string[] {
  return ("columns" in one ? createTableOnCluster(one) : [createViewOnCluster(one)]).map(terminated)
}

function terminated(sql: string): string {
  return `${sql};`
}

function isOnEveryNode(one: Table | View): boolean {
  return "columns" in one && one.shardBy === undefined
}

function isOfRun(one: Table | View): boolean {
  return one.name.startsWith("pagespan_retained_") || one === RETAINED_COPIES
}
