/**
 * Tables and materialized views as data, and the statements that create them: on one node, as the table of a retained
 * run's copies, and replicated over a cluster. `span-tables.ts` and `record-tables.ts` hold the one list of columns of
 * each table.
 */

/** A stored column, lists of equal length side by side (`Nested`), or an alias, which ClickHouse computes on each read. */
export type Column =
  | { readonly name: string; readonly type: string; readonly codec?: string; readonly default?: string }
  | {
      readonly name: string
      readonly nested: readonly (readonly [name: string, type: string])[]
      readonly codec: string
    }
  | { readonly name: string; readonly type: string; readonly alias: string }

/** What differs between the embedded engine's tables and others. */
interface ByEngine<Value> {
  readonly embedded: Value
  readonly server: Value
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly indexes?: readonly string[]
  readonly engine: "MergeTree" | "ReplacingMergeTree" | "AggregatingMergeTree"
  readonly partitionBy?: string
  readonly primaryKey?: string | ByEngine<string>
  readonly orderBy: string | ByEngine<string>
  /** The column that a row's age counts from. Rows of a table without one do not expire. */
  readonly time?: string
  /** Rows of a granule, the least that ClickHouse reads: of every table, or of the embedded engine's and of others. */
  readonly granularity?: number | ByEngine<number>
  /** Settings of the embedded engine's table, besides those of all. */
  readonly embeddedSettings?: readonly string[]
  /** On a cluster, the column whose hash picks a row's shard. Without one every node has all rows. */
  readonly shardBy?: string
}

/** A materialized view: what `select` yields of rows inserted into `from` is inserted into `to`. */
export interface View {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly select: (from: string) => string
}

/** What the statements depend on. All of it is ours: no text from outside reaches DDL. */
export interface SchemaContext {
  /** Age in seconds at which ClickHouse deletes rows. */
  readonly retentionSeconds: number
  readonly embedded: boolean
  /** Replicas recognise a repeated insert through Keeper. Other tables remember inserts themselves. */
  readonly replicated?: boolean
}

export const time = (name: string): Column => ({ name, type: "DateTime64(9)", codec: "Delta(8), ZSTD(1)" })
export const text = (name: string): Column => ({ name, type: "String", codec: "ZSTD(1)" })
/** Text of few distinct values. */
export const word = (name: string): Column => ({ name, type: "LowCardinality(String)", codec: "ZSTD(1)" })
export const bool = (name: string): Column => ({ name, type: "Bool", codec: "ZSTD(1)" })
export const uint32 = (name: string): Column => ({ name, type: "UInt32", codec: "T64, ZSTD(1)" })
export const uint64 = (name: string): Column => ({ name, type: "UInt64", codec: "T64, ZSTD(1)" })
export const attributes = (name: string, level = 1): Column => ({ name, type: ATTRIBUTES, codec: `ZSTD(${level})` })
/** The collector's type for attributes. */
export const ATTRIBUTES = "Map(LowCardinality(String), String)"

export function bloomFilter(name: string, expression: string, falsePositives = 0.01): string {
  return `${name} ${expression} TYPE bloom_filter(${falsePositives}) GRANULARITY 1`
}

/** The same table for copies of retained runs: the run's name beside each row, one partition a run, no age. */
export function retainedTable({ time: _time, shardBy: _shardBy, ...table }: Table, name: string): Table {
  return { ...table, name, columns: [text("Run"), ...table.columns], partitionBy: "Run" }
}

/** Names of the columns that an insert fills: the lists of a nested one are `Name.List`. */
export function storedColumns({ columns }: Table): readonly string[] {
  return columns.flatMap((column) => {
    if ("alias" in column) return []
    return "nested" in column ? column.nested.map(([name]) => `${column.name}.${name}`) : [column.name]
  })
}

/** @param name of the table that is created. Default: the table's. */
export function createTable(table: Table, context: SchemaContext, name = table.name): string {
  const age = table.time === undefined ? undefined : ttl(table.time, context)
  return `CREATE TABLE IF NOT EXISTS ${name} ${definition(table, table.engine, age, context)}`
}

/** The order of the embedded engine's table, as `system.tables` has it. */
export function embeddedOrder({ orderBy }: Table): string {
  return ofEngine(orderBy, true).replace(/^\(|\)$/g, "")
}

function ofEngine<Value extends string | number>(value: Value | ByEngine<Value>, embedded: boolean): Value {
  return typeof value === "object" ? value[embedded ? "embedded" : "server"] : value
}

export function createView({ name, from, to, select }: View): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} TO ${to} AS\n${select(from)}`
}

/**
 * Adds columns that an earlier version of the table did not have.
 *
 * @param target the table in the statement. Default: its name.
 */
export function addColumns({ name, columns }: Table, names: readonly string[], target = name): string {
  const added = columns.filter((column) => names.includes(column.name))
  return `ALTER TABLE ${target}\n${added.map((column) => `  ADD COLUMN IF NOT EXISTS ${columnSql(column)}`).join(",\n")}`
}

export function addColumnsOnCluster(table: Table, names: readonly string[]): string {
  return addColumns(table, names, `${table.name} ${ON_CLUSTER}`)
}

export function ttl(column: string, { retentionSeconds }: SchemaContext): string {
  return `toDateTime(${column}) + toIntervalSecond(${retentionSeconds})`
}

const ON_CLUSTER = "ON CLUSTER '{cluster}'"
const OF_CLUSTER: SchemaContext = { retentionSeconds: 0, embedded: false, replicated: true }

/**
 * Statements for a cluster, with the placeholders `{cluster}` and `{days}`. A table with `shardBy` becomes a replicated
 * one on each shard (`…_local`) and a `Distributed` one over them; every node has all rows of any other.
 */
export function createTableOnCluster(table: Table): readonly string[] {
  const { name, engine, shardBy } = table
  const age = table.time === undefined ? undefined : `toDateTime(${table.time}) + toIntervalDay({days})`
  const [path, replica] = shardBy === undefined ? ["all", "{shard}-{replica}"] : ["{shard}", "{replica}"]
  const replicated = `Replicated${engine}('/clickhouse/tables/${path}/{database}/${name}', '${replica}')`
  const local = shardBy === undefined ? name : `${name}_local`
  const create = `CREATE TABLE IF NOT EXISTS ${local} ${ON_CLUSTER} ${definition(table, replicated, age, OF_CLUSTER)}`
  if (shardBy === undefined) return [create]
  const distributed = `CREATE TABLE IF NOT EXISTS ${name} ${ON_CLUSTER} AS ${local}
ENGINE = Distributed('{cluster}', currentDatabase(), ${local}, cityHash64(${shardBy}))`
  return [create, distributed]
}

export function createViewOnCluster({ name, from, to, select }: View): string {
  return `CREATE MATERIALIZED VIEW IF NOT EXISTS ${name} ${ON_CLUSTER} TO ${to}_local AS\n${select(`${from}_local`)}`
}

function definition(table: Table, engine: string, age: string | undefined, context: SchemaContext): string {
  const { columns, indexes = [], partitionBy, primaryKey, orderBy } = table
  const lines = [...columns.map(columnSql), ...indexes.map((index) => `INDEX ${index}`)]
  const clauses = [
    partitionBy && `PARTITION BY ${partitionBy}`,
    primaryKey && `PRIMARY KEY ${ofEngine(primaryKey, context.embedded)}`,
    `ORDER BY ${ofEngine(orderBy, context.embedded)}`,
    age && `TTL ${age}`,
    settings(table, context),
  ]
  return `(\n${lines.map((line) => `  ${line}`).join(",\n")}\n) ENGINE = ${engine}\n${clauses.filter(Boolean).join("\n")}`
}

function columnSql(column: Column): string {
  if ("alias" in column) return `${column.name} ${column.type} ALIAS ${column.alias}`
  if ("nested" in column) {
    const parts = column.nested.map(([name, type]) => `${name} ${type}`)
    return `${column.name} Nested (${parts.join(", ")}) CODEC(${column.codec})`
  }
  const value = column.default === undefined ? "" : ` DEFAULT ${column.default}`
  return `${column.name} ${column.type}${value}${column.codec === undefined ? "" : ` CODEC(${column.codec})`}`
}

/** Inserts that a table remembers to recognise a repeated one: 2,000,000 spans in batches of 2,000. */
export const REMEMBER_INSERTS = "non_replicated_deduplication_window = 1000"

/**
 * Merging a few thousand rows column by column takes a tenth of the memory of merging row by row: 25 MB instead of 240
 * for the wide table, of the 700 MB that the embedded engine has.
 */
const MERGE_BY_COLUMN = "vertical_merge_algorithm_min_rows_to_activate = 1"

/**
 * ClickHouse merges parts once together they are this many times the largest of them; its default of 5 rewrites rows
 * more often. Measured while spans arrive fast: two thirds of the CPU time per span, with 10 three quarters. Ten million
 * spans are read as fast as with 10.
 */
const MERGE_SELDOM = "merge_selector_base = 20"

/**
 * A partition whose newest part is six hours old is merged into one part. Before, ten days of a million spans each had 150
 * parts of spans, and a query of traces opens each of them. Measured with one part a day: a page of the list by an
 * attribute or a duration takes two thirds of the CPU time, and the store opens in half a second less.
 */
export const MERGE_PAST_DAYS = "min_age_to_force_merge_seconds = 21600, min_age_to_force_merge_on_partition_only = 1"

/**
 * Where a query reads few rows of each granule, a column's block holds no more than one granule of ids: with the default
 * of 65,536 bytes it holds two, and ClickHouse decompresses one unnecessarily. Measured at a million spans: a page of the list
 * takes 50 ms instead of 68, a trace 66 instead of 82, for 1 % more on disk.
 */
const SMALL_BLOCKS = "min_compress_block_size = 16384"

/** ClickHouse's default. */
export const DEFAULT_GRANULARITY = 8_192

/** A part is dropped whole, once all of its rows have expired. */
function settings({ granularity, embeddedSettings = [] }: Table, context: SchemaContext): string | undefined {
  if (granularity === undefined) return undefined
  const { embedded, replicated = false } = context
  const rows = ofEngine(granularity, embedded)
  const list = [`index_granularity = ${rows}`, "ttl_only_drop_parts = 1"]
  if (rows < DEFAULT_GRANULARITY) list.push(SMALL_BLOCKS)
  if (!replicated) list.push(REMEMBER_INSERTS)
  if (embedded) list.push(MERGE_BY_COLUMN, MERGE_SELDOM, MERGE_PAST_DAYS, ...embeddedSettings)
  return `SETTINGS ${list.join(", ")}`
}
