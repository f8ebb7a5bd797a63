import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"

/** What the queries of the store have in common. */
export interface ReadContext {
  readonly clickhouse: ClickHouse
  /** Rows before this are past the retention, though ClickHouse may not have deleted them yet: no query returns them. */
  readonly oldest: Nanoseconds
  /**
   * What a statement writes after `FROM` to read a table: the table, or it and its copies for retained runs as one
   * (`withRetained`). Queries of traces use it; all others name their table.
   */
  from(table: string): string
}

type SqlType = "String" | "Float64" | "UInt64" | "Int64" | "UInt32" | "Array(String)"

/** A statement under construction. Each value becomes a bound parameter, and never part of the SQL. */
export class SqlBuilder {
  readonly #values: Record<string, string | number | readonly string[]> = {}
  #count = 0

  /** @param prefix of the placeholders: two builders of one statement need two. */
  constructor(
    private readonly context: Pick<ReadContext, "from">,
    private readonly prefix = "f",
  ) {}

  /** Returns the placeholder of the value. */
  bind(value: string | number | bigint | readonly string[], type: SqlType = "String"): string {
    const name = `${this.prefix}${this.#count++}`
    this.#values[name] = typeof value === "bigint" ? String(value) : value
    return `{${name}:${type}}`
  }

  bindTime(time: bigint): string {
    return `fromUnixTimestamp64Nano(${this.bind(time, "Int64")})`
  }

  /** @see ReadContext.from */
  from(table: string): string {
    return this.context.from(table)
  }

  get parameters(): Parameters {
    return this.#values
  }
}

/**
 * ClickHouse 26.7 makes one expression of patterns between which `OR` stands, and then fails on those of an aggregate, like the
 * name of a trace: "Function node with name 'argMin' is not resolved as ordinary function".
 */
export const PLAIN_PATTERNS = "optimize_or_like_chain = 0"

/**
 * Settings at the end of a query: the seconds that it may run, and the rows that it may return. On a cluster all rows of
 * a trace are on one shard, so each shard answers a subquery by trace id for itself.
 */
export function readLimits({ seconds, rows }: { readonly seconds: number; readonly rows: number }): string {
  return `SETTINGS max_execution_time = ${seconds}, max_result_rows = ${rows}, result_overflow_mode = 'throw', distributed_product_mode = 'local', ${PLAIN_PATTERNS}`
}
