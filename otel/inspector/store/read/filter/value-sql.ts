import type { Range, TextTest } from "../../../search/tree.ts"
import { NUMBER } from "../../../search/values.ts"
import type { Bindings } from "./bindings.ts"

/** Conditions on one column or map value. Each says what otel/inspector/search/match-text.ts says of the same value. */

export function textSql(test: TextTest, column: string, bindings: Bindings): string {
  switch (test.is) {
    case "anything":
      return "true"
    case "equal":
      return `${column} = ${bindings.bind(test.text)}`
    case "contains":
      return `position(lowerUTF8(${column}), ${bindings.bind(test.text)}) > 0`
    case "pattern":
      return `${column} LIKE ${bindings.bind(test.pieces.map(escapeLike).join("%"))}`
  }
}

export function rangeSql(range: Range<number | bigint>, column: string, bindings: Bindings): string {
  const ends: string[] = []
  if (range.from !== undefined) ends.push(`${column} ${range.fromExcluded ? ">" : ">="} ${bound(range.from, bindings)}`)
  if (range.to !== undefined) ends.push(`${column} ${range.toExcluded ? "<" : "<="} ${bound(range.to, bindings)}`)
  return ends.length === 0 ? "true" : ends.join(" AND ")
}

/** Attributes are text; only what is written as a number compares as one. */
export function numberSql(range: Range<number>, text: string, bindings: Bindings): string {
  const isNumber = `match(${text}, ${bindings.bind(NUMBER.source)})`
  return `${isNumber} AND ${rangeSql(range, `toFloat64OrZero(${text})`, bindings)}`
}

const UINT64_MAX = 2n ** 64n - 1n

function bound(end: number | bigint, bindings: Bindings): string {
  if (typeof end === "number") return bindings.bind(end, "Float64")
  return bindings.bind(end > UINT64_MAX ? UINT64_MAX : end, "UInt64")
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}
