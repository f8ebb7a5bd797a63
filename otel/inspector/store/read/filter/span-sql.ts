import {
  type AttributeBag,
  type AttributeTest,
  isDenial,
  isGroup,
  type SpanTest,
  type SpanTree,
  type TextTest,
} from "../../../search/tree.ts"
import { kindName, statusName } from "../../rows/stored-values.ts"
import { SERVICE_OF_ROW } from "../../schema/span-tables.ts"
import type { SqlBuilder } from "../context.ts"
import { mapValueSql, rangeSql, textSql } from "./value-sql.ts"

/**
 * A filter on one span, as a condition on its row. Our narrow table has the columns of the trace list; all others are in
 * the collector's.
 */
export type SpanTable = "pagespan_spans" | "otel_traces"

/** The narrowest table that has every column of the filter. */
export function tableFor(tree: SpanTree): SpanTable {
  if (isGroup(tree))
    return tree.nodes.every((node) => tableFor(node) === "pagespan_spans") ? "pagespan_spans" : "otel_traces"
  if (isDenial(tree)) return tableFor(tree.node)
  const isNarrow = NARROW.has(tree.is) || (tree.is === "status" && tree.code === "error")
  return isNarrow ? "pagespan_spans" : "otel_traces"
}

const NARROW: ReadonlySet<SpanTest["is"]> = new Set([
  "name",
  "service",
  "trace id",
  "span id",
  "source",
  "root",
  "duration",
])

export function spanSql(tree: SpanTree, table: SpanTable, sql: SqlBuilder): string {
  if (isGroup(tree))
    return `(${tree.nodes.map((node) => spanSql(node, table, sql)).join(tree.is === "and" ? " AND " : " OR ")})`
  if (isDenial(tree)) return `NOT (${spanSql(tree.node, table, sql)})`
  return `(${testSql(tree, table, sql)})`
}

function testSql(test: SpanTest, table: SpanTable, sql: SqlBuilder): string {
  switch (test.is) {
    case "name":
      return textSql(test.text, "SpanName", sql)
    case "service":
      return textSql(test.text, serviceColumn(table), sql)
    case "status message":
      return textSql(test.text, "StatusMessage", sql)
    case "trace id":
      return textSql(test.text, "TraceId", sql)
    case "span id":
      return textSql(test.text, "SpanId", sql)
    case "kind":
      return `SpanKind = ${sql.bind(kindName(test.kind))}`
    case "status":
      return table === "pagespan_spans" ? "IsError" : `StatusCode = ${sql.bind(statusName(test.code))}`
    case "source":
      return table === "pagespan_spans" ? `Source = ${sql.bind(test.source)}` : sourceSql(test.source, sql)
    case "root":
      return table === "pagespan_spans" ? "IsRoot" : "ParentSpanId = ''"
    case "duration":
      return rangeSql(test.range, "Duration", sql)
    case "attribute":
      return attributeSql(test, sql)
    case "any value":
      return anyValueSql(test.text, sql)
  }
}

function serviceColumn(table: SpanTable): string {
  return table === "pagespan_spans" ? "ServiceName" : SERVICE_OF_ROW
}

/** The collector's table does not hold the protocol of a row: our row of the same shape does. */
function sourceSql(source: string, sql: SqlBuilder): string {
  return `(TraceId, SpanId, Timestamp, Duration, toUInt32(length(SpanAttributes))) IN (
    SELECT TraceId, SpanId, Timestamp, Duration, AttributeCount FROM ${sql.from("pagespan_spans")}
    WHERE Source = ${sql.bind(source)})`
}

function attributeSql(test: AttributeTest, sql: SqlBuilder): string {
  return test.bags.flatMap((bag) => test.names.map((name) => bagSql(bag, name, test.value, sql))).join(" OR ")
}

function anyValueSql(test: TextTest, sql: SqlBuilder): string {
  const value = textSql(test, "value", sql)
  const has = (map: string) => `arrayExists(value -> ${value}, mapValues(${map}))`
  return `${has("SpanAttributes")} OR arrayExists(bag -> ${has("bag")}, \`Events.Attributes\`)`
}

const COLUMNS: Readonly<Record<Exclude<AttributeBag, "event">, string>> = {
  span: "SpanAttributes",
  resource: "ResourceAttributes",
}

function bagSql(bag: AttributeBag, name: string, test: AttributeTest["value"], sql: SqlBuilder): string {
  const key = sql.bind(name)
  if (bag === "event") return `arrayExists(bag -> ${mapValueSql("bag", key, test, sql)}, \`Events.Attributes\`)`
  return mapValueSql(COLUMNS[bag], key, test, sql)
}
