import type { Attributes } from "@opentelemetry/api"
import { REDACTED_TEXT_LIMIT } from "../../protocol/limits.ts"
import { FILTERED } from "../../protocol/redact.ts"

/**
 * Replaces the literals in the text of a query by `?`, because clients and instrumentations may write values into it. One pass
 * over the text, so it takes linear time. What is read as a literal depends on the dialect; where that leaves a doubt, more
 * becomes `?` rather than less.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/db/database-spans/#sanitization-of-dbquerytext
 */

const TEXT_KEYS = ["db.query.text", "db.statement"] as const

/** Systems whose queries are no SQL. Their instrumentations record commands without values, unless the app asks for them. */
const NOT_SQL =
  /^(?:mongodb|redis|valkey|memcached|elasticsearch|opensearch|couchdb|(?:aws\.)?dynamodb|neo4j|hbase|geode)$/
const LIKE_MYSQL = /^(?:mysql|mariadb|hive|couchbase|(?:gcp\.)?spanner|(?:azure\.)?cosmosdb)$/
const STANDARD = /^(?:postgres|cockroach|mssql|microsoft\.sql|oracle|sqlite|(?:ibm\.)?db2)/
const WITH_BRACKETS = /^(?:mssql|microsoft\.sql|sqlite)/

interface Dialect {
  /** Texts in double quotes, escapes by a backslash, and comments from `#`, or from `--` and a space. */
  readonly isLikeMysql: boolean
  /** Whether a backslash escapes the next character, which standard SQL does not have; `undefined` if that is not known. */
  readonly hasEscapes: boolean | undefined
  /** Identifiers in brackets. */
  readonly hasBrackets: boolean
  /** Texts like `q'[it's]'`. */
  readonly isOracle: boolean
}

function dialectOf(system: string): Dialect {
  const isLikeMysql = LIKE_MYSQL.test(system)
  return {
    isLikeMysql,
    hasEscapes: isLikeMysql || (STANDARD.test(system) ? false : undefined),
    hasBrackets: WITH_BRACKETS.test(system),
    isOracle: system.startsWith("oracle"),
  }
}

/** The same attributes, where queries of SQL databases have no literals. */
export function withoutLiterals(given: Attributes): Attributes {
  let attributes = given
  for (const key of TEXT_KEYS) {
    const text = given[key]
    if (typeof text === "string") attributes = { ...attributes, [key]: queryText(text, given) }
  }
  return attributes
}

/**
 * @param attributes of the span, which name its database.
 * @example queryText("DELETE FROM t1 WHERE b = 'c' AND d > 5", {}) // "DELETE FROM t1 WHERE b = ? AND d > ?"
 */
export function queryText(text: string, attributes: Attributes): string {
  const system = String(attributes["db.system.name"] ?? attributes["db.system"] ?? "")
  if (NOT_SQL.test(system)) return text
  const dialect = dialectOf(system)
  if (text.length <= REDACTED_TEXT_LIMIT) return maskLiterals(text, dialect)
  return maskLiterals(text.slice(0, REDACTED_TEXT_LIMIT), dialect) + FILTERED
}

function maskLiterals(text: string, dialect: Dialect): string {
  // A text with its prefix, a word, a placeholder, a number, a text between dollars, and what else opens something.
  const token =
    /(?:nq|[benqx])?'|[a-z_\x80-\uffff][\w$.\x80-\uffff]*|(?<![\w'"\]])[$:?@]\d+|\.?\d[\w.]*(?:(?<=e)[+-]\d+)?|\$(?:[a-z_]\w*)?\$|--|\/\*|["#[`]/gi
  let result = ""
  let copied = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const { keptTo, end } = partAt(text, match.index, match[0], dialect)
    if (keptTo < end) {
      result += `${text.slice(copied, keptTo)}?`
      copied = end
    }
    token.lastIndex = end
  }
  return result + text.slice(copied)
}

/** A part of a query: what it keeps, and up to its end a literal. */
interface Part {
  readonly keptTo: number
  readonly end: number
}

/** The part of a query that begins with a token. */
function partAt(text: string, at: number, token: string, dialect: Dialect): Part {
  const start = at + token.length
  const { isLikeMysql, hasBrackets } = dialect
  const literal = (end = text.length): Part => ({ keptTo: at, end })
  /** A name or a comment without an end may be anything. */
  const kept = (end: number | undefined): Part => (end === undefined ? literal() : { keptTo: end, end })
  if (token.endsWith("'")) return literal(textEnd(text, start, token.slice(0, -1).toLowerCase(), dialect))
  if (/^\.?\d/.test(token)) return literal(start)
  if (token.length > 1 && token.startsWith("$") && token.endsWith("$")) return literal(after(text, token, start))
  if (token === '"' && isLikeMysql) return literal(quotedEnd(text, start, token, true))
  if (token === '"' || token === "`") return kept(quotedEnd(text, start, token, false))
  if (token === "[" && hasBrackets) return kept(quotedEnd(text, start, "]", false))
  // MySQL executes a comment that begins with an exclamation mark.
  if (token === "/*" && !(isLikeMysql && text[start] === "!")) return kept(after(text, "*/", start))
  const isLineComment = token === "--" ? !isLikeMysql || /^\s?$/.test(text.charAt(start)) : token === "#" && isLikeMysql
  return isLineComment ? lineComment(text, start) : kept(start)
}

/** An injected value may have begun the comment. What follows a quote in it is a literal then. */
function lineComment(text: string, start: number): Part {
  const end = (after(text, "\n", start) ?? text.length + 1) - 1
  let keptTo = start
  while (keptTo < end && text[keptTo] !== "'" && text[keptTo] !== '"') keptTo++
  return { keptTo, end }
}

function after(text: string, closing: string, start: number): number | undefined {
  const at = text.indexOf(closing, start)
  return at === -1 ? undefined : at + closing.length
}

/** The end of a text in single quotes. @param prefix in lower case. */
function textEnd(text: string, start: number, prefix: string, dialect: Dialect): number | undefined {
  if (!dialect.isOracle || !prefix.endsWith("q"))
    return quotedEnd(text, start, "'", prefix === "e" || dialect.hasEscapes)
  const opening = text.charAt(start)
  return after(text, `${CLOSING[opening] ?? opening}'`, start + 1)
}

const CLOSING: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}", "<": ">" }

/**
 * The index behind a closing quote. A doubled one stands for itself.
 *
 * @param hasEscapes see `Dialect`. If that is not known, a text whose end depends on it has none.
 */
function quotedEnd(text: string, start: number, quote: string, hasEscapes: boolean | undefined): number | undefined {
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === "\\" && hasEscapes !== false) {
      if (hasEscapes === undefined && text[at + 1] === quote) return undefined
      at++
    } else if (char === quote) {
      if (text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return undefined
}
