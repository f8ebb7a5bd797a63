import { SEVERITY_NUMBERS } from "../../../../protocol/records/log.ts"
import type { LogAttributeTest, LogTest, LogTree } from "../../../search/log-terms.ts"
import { isDenial, isGroup, type TextTest } from "../../../search/tree.ts"
import type { SqlBuilder } from "../context.ts"
import { mapValueSql, rangeSql, textSql } from "./value-sql.ts"

/** A filter on logs, as a condition on a row of `pagespan_logs`. */
export function logSql(tree: LogTree, sql: SqlBuilder): string {
  if (isGroup(tree))
    return `(${tree.nodes.map((node) => logSql(node, sql)).join(tree.is === "and" ? " AND " : " OR ")})`
  if (isDenial(tree)) return `NOT (${logSql(tree.node, sql)})`
  return `(${testSql(tree, sql)})`
}

/** The number of a record's severity; where it is unset, that of its text. Constants of the sources. */
export const SEVERITY_SQL = `if(SeverityNumber > 0, toInt32(SeverityNumber), transform(lower(toString(SeverityText)),
  [${[...SEVERITY_NUMBERS.keys()].map((name) => `'${name}'`).join(", ")}], [${[...SEVERITY_NUMBERS.values()].join(", ")}], 0))`

function testSql(test: LogTest, sql: SqlBuilder): string {
  switch (test.is) {
    case "body":
      return textSql(test.text, "Body", sql)
    case "service":
      return textSql(test.text, "ServiceName", sql)
    case "event name":
      return `${eventNameSql(test.text, sql)} OR ${mapValueSql("LogAttributes", sql.bind("event.name"), test.text, sql)}`
    case "trace id":
      return textSql(test.text, "TraceId", sql)
    case "span id":
      return textSql(test.text, "SpanId", sql)
    case "severity":
      return rangeSql(test.range, SEVERITY_SQL, sql)
    case "source":
      return `Source = ${sql.bind(test.source)}`
    case "attribute":
      return attributeSql(test, sql)
    case "any value":
      return `arrayExists(value -> ${textSql(test.text, "value", sql)}, mapValues(LogAttributes))`
  }
}

/** An empty name is none. */
function eventNameSql(text: TextTest, sql: SqlBuilder): string {
  return text.is === "anything" ? "EventName != ''" : textSql(text, "EventName", sql)
}

const COLUMNS = { record: "LogAttributes", resource: "ResourceAttributes" } as const

function attributeSql({ bags, names, value }: LogAttributeTest, sql: SqlBuilder): string {
  return bags
    .flatMap((bag) => names.map((name) => mapValueSql(COLUMNS[bag], sql.bind(name), value, sql)))
    .map((condition) => `(${condition})`)
    .join(" OR ")
}
