import type { Parameters } from "../../clickhouse.ts"

type SqlType = "String" | "Float64" | "UInt64" | "Int64" | "UInt32" | "Array(String)"

/** Values of a statement that is put together: each becomes a placeholder, and never part of the SQL. */
export class Bindings {
  readonly #values: Record<string, string | number | readonly string[]> = {}
  #count = 0

  /** The placeholder that stands for the value. */
  bind(value: string | number | bigint | readonly string[], type: SqlType = "String"): string {
    const name = `f${this.#count++}`
    this.#values[name] = typeof value === "bigint" ? String(value) : value
    return `{${name}:${type}}`
  }

  get values(): Parameters {
    return this.#values
  }
}
