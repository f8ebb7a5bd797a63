import type { AttributeTest, Range, TextTest } from "../../../search/tree.ts"
import { NUMBER } from "../../../search/values.ts"
import { escapeLike } from "../../sql-text.ts"
import type { SqlBuilder } from "../context.ts"

/** Conditions on one column or map value. Each agrees with `otel/inspector/search/match-text.ts` on every value. */

export function textSql(test: TextTest, column: string, sql: SqlBuilder): string {
  switch (test.is) {
    case "anything":
      return "true"
    case "equal":
      return `${column} = ${sql.bind(test.text)}`
    case "contains":
      return `position(lowerUTF8(${column}), ${sql.bind(test.text)}) > 0`
    case "pattern":
      return `${column} LIKE ${sql.bind(test.pieces.map(escapeLike).join("%"))}`
  }
}

export function rangeSql(range: Range<number | bigint>, column: string, sql: SqlBuilder): string {
  const ends: string[] = []
  if (range.from !== undefined) ends.push(`${column} ${range.fromExcluded ? ">" : ">="} ${bound(range.from, sql)}`)
  if (range.to !== undefined) ends.push(`${column} ${range.toExcluded ? "<" : "<="} ${bound(range.to, sql)}`)
  return ends.length === 0 ? "true" : ends.join(" AND ")
}

/** Attributes are text: only text that is a number compares as one. */
export function numberSql(range: Range<number>, text: string, sql: SqlBuilder): string {
  const isNumber = `match(${text}, ${sql.bind(NUMBER.source)})`
  return `${isNumber} AND ${rangeSql(range, `toFloat64OrZero(${text})`, sql)}`
}

/** On the value of a key. A map returns an empty text for a key that it does not have. */
export function mapValueSql(map: string, key: string, test: AttributeTest["value"], sql: SqlBuilder): string {
  if (test.is === "anything") return `mapContains(${map}, ${key})`
  const value = `${map}[${key}]`
  if (test.is === "number") return numberSql(test.range, value, sql)
  const text = textSql(test, value, sql)
  return test.is === "equal" && test.text === "" ? `(mapContains(${map}, ${key}) AND ${text})` : text
}

const UINT64_MAX = 2n ** 64n - 1n

function bound(end: number | bigint, sql: SqlBuilder): string {
  if (typeof end === "number") return sql.bind(end, "Float64")
  return sql.bind(end > UINT64_MAX ? UINT64_MAX : end, "UInt64")
}
