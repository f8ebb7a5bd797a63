import type { ClickHouse } from "../clickhouse.ts"
import { insertStatement } from "../insert-statement.ts"
import {
  addColumns,
  addColumnsOnCluster,
  createTable,
  createView,
  MERGE_PAST_DAYS,
  REMEMBER_INSERTS,
  type SchemaContext,
  type Table,
  ttl,
  type View,
} from "./ddl.ts"
import { probeWriting } from "../probe-writing.ts"
import { rebuildTable } from "./rebuild-table.ts"
import {
  APPLIED_MIGRATIONS,
  DROPPED,
  ERRORS,
  ITEMS,
  LOGS,
  RETAINED,
  RETAINED_COPIES,
  RETAINED_TRACES,
  RUNS,
} from "./record-tables.ts"
import {
  OTEL_TRACE_TIMES,
  OTEL_TRACE_TIMES_VIEW,
  OTEL_TRACES,
  ROUTES,
  ROUTES_VIEW,
  SPANS,
  SPANS_VIEW,
  STARTS,
  STARTS_VIEW,
} from "./span-tables.ts"

/**
 * Brings the schema forward to what this version knows, and records each step in `pagespan_migrations` with the tables
 * and views that it created: those are ours to alter. A table that existed before, like a collector's, never is. Data
 * of a newer version is refused before anything is written.
 */

/** A step forward of the schema. Each statement can run twice: a step that was interrupted runs again. */
interface Migration {
  readonly version: number
  readonly title: string
  readonly creates?: readonly (Table | View)[]
  /** Additions to tables that an earlier step created with fewer columns. */
  readonly alters?: readonly string[]
  /** Changes to stored rows. */
  readonly rewrite?: (clickhouse: ClickHouse, context: SchemaContext) => Promise<void>
}

const ERROR_COLUMNS_OF_5 = ["UserId", "SessionId", "Handled"]
const DROP_COLUMNS_OF_10 = ["Sender"]
const RETAINED_TABLES = RETAINED.map(({ retained }) => retained)

const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    title: "spans, as the OpenTelemetry Collector's exporter stores them",
    creates: [OTEL_TRACES, OTEL_TRACE_TIMES, OTEL_TRACE_TIMES_VIEW],
  },
  {
    version: 2,
    title: "the trace list, and what the collector's columns do not hold",
    creates: [SPANS, STARTS, STARTS_VIEW, SPANS_VIEW],
  },
  { version: 3, title: "dropped data", creates: [DROPPED] },
  { version: 4, title: "errors and logs", creates: [ERRORS, LOGS] },
  {
    version: 5,
    title: "measurements of each route; user, session and handling of an error",
    creates: [ROUTES, ROUTES_VIEW],
    alters: [addColumns(ERRORS, ERROR_COLUMNS_OF_5)],
  },
  { version: 6, title: "named runs", creates: [RUNS] },
  { version: 7, title: "items of Sentry envelopes, as they arrived", creates: [ITEMS] },
  {
    version: 8,
    title: "copies of retained runs, which do not expire",
    creates: [...RETAINED_TABLES, RETAINED_COPIES],
    alters: RETAINED_TABLES.filter(({ name }) => name === "pagespan_retained_errors").map((table) =>
      addColumns(table, ERROR_COLUMNS_OF_5),
    ),
  },
  { version: 9, title: "names of dropped data and retained runs", rewrite: renameDropValues },
  { version: 10, title: "who counted a drop", alters: [addColumns(DROPPED, DROP_COLUMNS_OF_10)] },
  { version: 11, title: "the spans of a trace side by side", rewrite: reorderSpans },
]

const NEWEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0

/** Every table and view, in the order in which they can be created. */
export const SCHEMA: readonly (Table | View)[] = MIGRATIONS.flatMap(({ creates = [] }) => creates)

/** Tables whose rows expire, each with the column that a row's age counts from. */
export const EXPIRING_TABLES: ReadonlyMap<string, string> = new Map(
  SCHEMA.flatMap((one) => ("columns" in one && one.time !== undefined ? [[one.name, one.time]] : [])),
)

/** Names of tables until schema version 8, with today's. */
export const EARLIER_NAMES: ReadonlyMap<string, string> = new Map([
  ["pagespan_losses", DROPPED.name],
  ["pagespan_kept_traces", "pagespan_retained_traces"],
  ["pagespan_kept_trace_times", "pagespan_retained_trace_times"],
  ["pagespan_kept_spans", "pagespan_retained_spans"],
  ["pagespan_kept_starts", "pagespan_retained_starts"],
  ["pagespan_kept_errors", "pagespan_retained_errors"],
  ["pagespan_kept_logs", "pagespan_retained_logs"],
  ["pagespan_kept_copies", RETAINED_COPIES.name],
])

/** Values of `pagespan_dropped` until schema version 8, with today's. */
const EARLIER_VALUES = [
  { column: "Reason", from: "not_kept", to: "unsupported" },
  { column: "Stage", from: "door", to: "ingest" },
]

export class NewerData extends Error {
  override readonly name = "NewerData"
}

/** Tables have the names of an earlier version, and others created them: only they may rename them. */
export class EarlierTables extends Error {
  override readonly name = "EarlierTables"
}

/**
 * Creates, renames and extends tables until the schema is that of this version.
 *
 * @returns names of the tables and views that are ours to alter.
 * @throws {NewerData} when a newer version wrote the data.
 * @throws {EarlierTables} when a server's administrator has to rename tables first.
 */
export async function migrate(clickhouse: ClickHouse, context: SchemaContext): Promise<ReadonlySet<string>> {
  const present = await tableNames(clickhouse)
  const applied = present.has(APPLIED_MIGRATIONS.name) ? await readApplied(clickhouse) : []
  const found = Math.max(0, ...applied.map(({ version }) => version))
  if (found > NEWEST_VERSION)
    throw new NewerData(
      `The store was written by a newer Pagespan (schema ${found}; this one knows ${NEWEST_VERSION}). It was left untouched: upgrade Pagespan, or use another data directory.`,
    )
  const { embedded } = clickhouse.endpoint
  if (embedded && present.size === 0) return createSchema(clickhouse, context)
  const created = applied.flatMap(({ made }) => made)
  const ours = new Set(created.map((name) => EARLIER_NAMES.get(name) ?? name))
  if (found === NEWEST_VERSION) return ours
  await renameTables(clickhouse, present, new Set(created))
  await clickhouse.run(createTable(APPLIED_MIGRATIONS, context))
  for (const { version, title, creates = [], alters = [], rewrite } of MIGRATIONS) {
    if (version <= found) continue
    for (const one of creates) await clickhouse.run("columns" in one ? createTable(one, context) : createView(one))
    for (const sql of alters) await clickhouse.run(sql)
    await rewrite?.(clickhouse, context)
    // Nobody else creates tables in the embedded engine: there, a table that is present is of a start that was interrupted.
    const made = namesOf(creates).filter((name) => embedded || !present.has(name))
    for (const name of made) ours.add(name)
    await recordApplied(clickhouse, [{ Version: version, Title: title, Made: made }])
  }
  return ours
}

/**
 * Creates all tables of an empty embedded store at once: an empty table needs none of the changes that later steps make to
 * an earlier one. Step by step takes twice as long. On a full disk the engine creates tables until one has no room for its
 * definition, and then knows a table that it cannot change: so it has to store a row first.
 */
async function createSchema(clickhouse: ClickHouse, context: SchemaContext): Promise<ReadonlySet<string>> {
  await probeWriting(clickhouse)
  const creates = SCHEMA.map((one) => ("columns" in one ? createTable(one, context) : createView(one)))
  await clickhouse.run([createTable(APPLIED_MIGRATIONS, context), ...creates].join(";\n"))
  const rows = MIGRATIONS.map(({ version, title, creates: made = [] }) => ({
    Version: version,
    Title: title,
    Made: namesOf(made),
  }))
  await recordApplied(clickhouse, rows)
  return new Set(namesOf(SCHEMA))
}

/** Tables whose definition has settings. */
const TABLES_WITH_SETTINGS = new Set(SCHEMA.flatMap((one) => ("columns" in one && one.granularity ? [one.name] : [])))

/**
 * Sets the age at which rows expire, of those of our tables that have another one. Tables that an earlier version created on
 * a server did not remember inserts, and those of the embedded engine had several parts for each past day.
 */
export async function applySettings(
  clickhouse: ClickHouse,
  ours: ReadonlySet<string>,
  context: SchemaContext,
): Promise<void> {
  const tables = await clickhouse.select<{ name: string; ddl: string }>(
    "SELECT name, create_table_query AS ddl FROM system.tables WHERE database = currentDatabase()",
  )
  const laterSettings = context.embedded ? [REMEMBER_INSERTS, MERGE_PAST_DAYS] : [REMEMBER_INSERTS]
  for (const { name, ddl } of tables.filter((table) => ours.has(table.name))) {
    const time = EXPIRING_TABLES.get(name)
    const wanted = time === undefined ? "" : ttl(time, context)
    if (time !== undefined && !ddl.includes(`TTL ${wanted} `))
      await clickhouse.run(`ALTER TABLE ${name} MODIFY TTL ${wanted}`)
    for (const setting of TABLES_WITH_SETTINGS.has(name) ? laterSettings : [])
      if (!ddl.includes(setting)) await clickhouse.run(`ALTER TABLE ${name} MODIFY SETTING ${setting}`)
  }
}

/** Runs before tables are created: an empty one of the new name would be in the way. Changes `present` accordingly. */
async function renameTables(clickhouse: ClickHouse, present: Set<string>, created: ReadonlySet<string>): Promise<void> {
  const renames = [...EARLIER_NAMES].filter(([from, to]) => present.has(from) && !present.has(to))
  const foreign = renames.filter(([from]) => !clickhouse.endpoint.embedded && !created.has(from))
  if (foreign.length > 0)
    throw new EarlierTables(
      `Tables have the names of an earlier Pagespan, and Pagespan did not create them. Run cluster.sql again, or on a single server: ${foreign.map(renameSql).join("; ")}.`,
    )
  for (const rename of renames) {
    await clickhouse.run(renameSql(rename))
    present.delete(rename[0])
    present.add(rename[1])
  }
}

function renameSql([from, to]: readonly [string, string]): string {
  return `RENAME TABLE IF EXISTS ${from} TO ${to}`
}

/** Tables on a server keep the order of the collector's exporter. */
async function reorderSpans(clickhouse: ClickHouse, context: SchemaContext): Promise<void> {
  if (!context.embedded) return
  for (const table of [OTEL_TRACES, RETAINED_TRACES]) await rebuildTable(clickhouse, table, context)
}

/** Rewrites values of earlier versions in place. Without such rows, no right to alter the table is needed. */
async function renameDropValues(clickhouse: ClickHouse): Promise<void> {
  for (const { column, from, to } of EARLIER_VALUES) {
    const [row] = await clickhouse.select<{ found: number }>(
      `SELECT toUInt8(count() > 0) AS found FROM ${DROPPED.name} WHERE ${column} = '${from}'`,
    )
    if (row?.found) await clickhouse.run(`${renameValueSql({ column, from, to })} SETTINGS mutations_sync = 1`)
  }
}

function renameValueSql({ column, from, to }: { column: string; from: string; to: string }): string {
  return `ALTER TABLE ${DROPPED.name} UPDATE ${column} = '${to}' WHERE ${column} = '${from}'`
}

/** Statements that rename values on a server whose tables are not ours. */
export const RENAME_VALUES: readonly string[] = EARLIER_VALUES.map(renameValueSql)

/** Statements that add columns on a cluster, whose tables an administrator created. */
export const ADDED_COLUMNS: readonly string[] = [addColumnsOnCluster(DROPPED, DROP_COLUMNS_OF_10)]

async function tableNames(clickhouse: ClickHouse): Promise<Set<string>> {
  const rows = await clickhouse.select<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase()",
  )
  return new Set(rows.map(({ name }) => name))
}

async function readApplied(clickhouse: ClickHouse): Promise<{ version: number; made: string[] }[]> {
  return clickhouse.select(`SELECT Version AS version, Made AS made FROM ${APPLIED_MIGRATIONS.name} ORDER BY Version`)
}

function namesOf(created: readonly (Table | View)[]): string[] {
  return created.map(({ name }) => name)
}

async function recordApplied(
  clickhouse: ClickHouse,
  rows: readonly { readonly Version: number; readonly Title: string; readonly Made: readonly string[] }[],
): Promise<void> {
  const sql = insertStatement({
    table: APPLIED_MIGRATIONS.name,
    columns: ["Version", "Title", "Made"],
    settings: ["async_insert = 0"],
    format: "JSONEachRow",
  })
  await clickhouse.insert(sql, [Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"))])
}
