import {
  type AttributeBag,
  type AttributeTest,
  isDenial,
  isGroup,
  type SpanTest,
  type SpanTree,
  type TextTest,
} from "../../../search/tree.ts"
import { kindWord, statusWord } from "../../rows/span-words.ts"
import type { Bindings } from "./bindings.ts"
import { numberSql, rangeSql, textSql } from "./value-sql.ts"

/**
 * What is asked of one span, as a condition on its row. The narrow table of ours answers what the trace list is made
 * of; all else is asked of the collector's.
 */
export type SpanTable = "pagespan_spans" | "otel_traces"

/** The table with the fewest columns that knows all that is asked. */
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

export function spanSql(tree: SpanTree, table: SpanTable, bindings: Bindings): string {
  if (isGroup(tree))
    return `(${tree.nodes.map((node) => spanSql(node, table, bindings)).join(tree.is === "and" ? " AND " : " OR ")})`
  if (isDenial(tree)) return `NOT (${spanSql(tree.node, table, bindings)})`
  return `(${testSql(tree, table, bindings)})`
}

function testSql(test: SpanTest, table: SpanTable, bindings: Bindings): string {
  switch (test.is) {
    case "name":
      return textSql(test.text, "SpanName", bindings)
    case "service":
      return textSql(test.text, serviceColumn(table), bindings)
    case "status message":
      return textSql(test.text, "StatusMessage", bindings)
    case "trace id":
      return textSql(test.text, "TraceId", bindings)
    case "span id":
      return textSql(test.text, "SpanId", bindings)
    case "kind":
      return `SpanKind = ${bindings.bind(kindWord(test.kind))}`
    case "status":
      return table === "pagespan_spans" ? "IsError" : `StatusCode = ${bindings.bind(statusWord(test.code))}`
    case "source":
      return table === "pagespan_spans" ? `Source = ${bindings.bind(test.source)}` : broughtBy(test.source, bindings)
    case "root":
      return table === "pagespan_spans" ? "IsRoot" : "ParentSpanId = ''"
    case "duration":
      return rangeSql(test.range, "Duration", bindings)
    case "attribute":
      return attributeSql(test, bindings)
    case "any value":
      return anyValueSql(test.text, bindings)
  }
}

/** A collector leaves the column empty where the resource names no service. */
function serviceColumn(table: SpanTable): string {
  return table === "pagespan_spans" ? "ServiceName" : "if(ServiceName = '', 'unknown_service', ServiceName)"
}

/** The collector's table does not say which protocol brought a row: our row of the same shape does. */
function broughtBy(source: string, bindings: Bindings): string {
  return `(TraceId, SpanId, Timestamp, Duration, toUInt32(length(SpanAttributes))) IN (
    SELECT TraceId, SpanId, Timestamp, Duration, AttributeCount FROM pagespan_spans
    WHERE Source = ${bindings.bind(source)})`
}

function attributeSql(test: AttributeTest, bindings: Bindings): string {
  return test.bags.flatMap((bag) => test.names.map((name) => bagSql(bag, name, test.value, bindings))).join(" OR ")
}

function anyValueSql(test: TextTest, bindings: Bindings): string {
  const value = textSql(test, "value", bindings)
  const has = (map: string) => `arrayExists(value -> ${value}, mapValues(${map}))`
  return `${has("SpanAttributes")} OR arrayExists(bag -> ${has("bag")}, \`Events.Attributes\`)`
}

const COLUMNS: Readonly<Record<Exclude<AttributeBag, "event">, string>> = {
  span: "SpanAttributes",
  resource: "ResourceAttributes",
}

function bagSql(bag: AttributeBag, name: string, test: AttributeTest["value"], bindings: Bindings): string {
  const key = bindings.bind(name)
  if (bag === "event") return `arrayExists(bag -> ${valueSql("bag", key, test, bindings)}, \`Events.Attributes\`)`
  return valueSql(COLUMNS[bag], key, test, bindings)
}

/** A map answers an empty text for what it does not have. */
function valueSql(map: string, key: string, test: AttributeTest["value"], bindings: Bindings): string {
  if (test.is === "anything") return `mapContains(${map}, ${key})`
  const value = `${map}[${key}]`
  if (test.is === "number") return numberSql(test.range, value, bindings)
  const text = textSql(test, value, bindings)
  return test.is === "equal" && test.text === "" ? `(mapContains(${map}, ${key}) AND ${text})` : text
}
