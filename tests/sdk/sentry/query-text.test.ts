import { describe, expect, test } from "vitest"
import { REDACTED_TEXT_LIMIT } from "#otel/protocol/limits.ts"
import { sanitizeSpan } from "#otel/sdk/sentry/sanitize-span.ts"
import { finishedSpan } from "./finished-span.ts"

/** The text of a query as it leaves the process. */
function sent(text: string, system?: string): unknown {
  const attributes = { "db.query.text": text, ...(system === undefined ? {} : { "db.system.name": system }) }
  return sanitizeSpan(finishedSpan({ attributes })).attributes["db.query.text"]
}

const EVERY_DIALECT = [undefined, "postgresql", "mysql", "microsoft.sql_server", "sqlite", "oracle.db", "clickhouse"]

describe.each(EVERY_DIALECT)("the text of a query of %s leaves the process", (system) => {
  test.each([
    ["SELECT * FROM a WHERE b = 'jane@corp.example' AND c = '078-05-1120'", "SELECT * FROM a WHERE b = ? AND c = ?"],
    ["INSERT INTO t VALUES ('4111111111111111','123')", "INSERT INTO t VALUES (?,?)"],
    ["SELECT 1, -2.5, .5, 1e-5, 0xFF, 1_000 LIMIT 10", "SELECT ?, -?, ?, ?, ?, ? LIMIT ?"],
    ["SELECT a FROM t WHERE b IN (1,2,3)", "SELECT a FROM t WHERE b IN (?,?,?)"],
    ["SELECT 'it''s', '', N'x', X'4D', DATE '2020-01-01'", "SELECT ?, ?, ?, ?, DATE ?"],
    ["SELECT a FROM t WHERE b = 'cut off", "SELECT a FROM t WHERE b = ?"],
    ["SELECT 'two\nlines', NULL, TRUE", "SELECT ?, NULL, TRUE"],
  ])("without its literals: %s", (text, expected) => {
    expect(sent(text, system)).toBe(expected)
  })

  test.each([
    "SELECT t1.col_2, a$b, größe FROM t1 JOIN s3.t2 ON t1.id = t2.id",
    "SELECT a FROM t WHERE b = $1 AND c = $12 AND d = ? AND e = :name AND f = @p1 AND g = :1 AND h = ?1",
    "SELECT `col 1`, `it's` FROM `t``1`",
    "SELECT a FROM t /* route='/items/[id]',traceparent='00-0af7-01' */",
    "SELECT a /* it's 5 */ FROM t -- the 2 newest\nWHERE b = ?",
  ])("with its identifiers, placeholders and comments: %s", (text) => {
    expect(sent(text, system)).toBe(text)
  })
})

describe("a literal ends where its dialect ends it", () => {
  test.each([
    ["mysql", String.raw`SELECT 'a\'b', 'c\\', "d""e\"f", 5`, "SELECT ?, ?, ?, ?"],
    [
      "mariadb",
      `SELECT a--5 FROM t WHERE b = 'c' # it's\nAND d = 'e'`,
      "SELECT a--? FROM t WHERE b = ? # it?\nAND d = ?",
    ],
    ["mysql", "SELECT /*! 'a' */ 'b'", "SELECT /*! ? */ ?"],
    ["postgresql", String.raw`SELECT "Item"."col 1" FROM t WHERE a = 'C:\' AND b = 'c'`, undefined],
    [
      "postgresql",
      String.raw`SELECT E'a\'b', U&'c', $$it's$$, $x$a $$ b$x$, '5'::int4`,
      "SELECT ?, U&?, ?, ?, ?::int4",
    ],
    ["microsoft.sql_server", "SELECT [it's 1] FROM [t]]1] WHERE a = 'b'", "SELECT [it's 1] FROM [t]]1] WHERE a = ?"],
    ["postgresql", "SELECT a[1], ARRAY['b']", "SELECT a[?], ARRAY[?]"],
    ["oracle.db", "SELECT q'[it's]', nq'!a'b!', 'c' FROM t", "SELECT ?, ?, ? FROM t"],
    ["clickhouse", String.raw`SELECT 'a\\', 'b\n', {'c':5}`, "SELECT ?, ?, {?:?}"],
  ])("%s: %s", (system, text, expected) => {
    const masked = String.raw`SELECT "Item"."col 1" FROM t WHERE a = ? AND b = ?`
    expect(sent(text, system)).toBe(expected ?? masked)
  })

  test.each([
    [
      "a backslash before a quote, of which only the dialect says what it means",
      String.raw`a = 'b\' AND c = 'd'`,
      "a = ?",
    ],
    ["a quoted identifier without an end", `a = 'b' AND "c = 'd'`, "a = ? AND ?"],
    ["a comment without an end", "a = 'b' /* AND c = 'd'", "a = ? ?"],
    ["a line comment that an injected value began", "a = '' -- ' AND b = 'c'\nOR d = 1", "a = ? -- ?\nOR d = ?"],
  ])("and with the rest of the text where that is in doubt: %s", (_, text, expected) => {
    expect(sent(text)).toBe(expected)
  })
})

test("the text of a query has no literals under its deprecated name and in a name that repeats it", () => {
  const text = "SELECT 'a' FROM t"
  const { name, attributes } = sanitizeSpan(
    finishedSpan({ name: text, attributes: { "db.system": "mysql", "db.statement": text } }),
  )
  expect([name, attributes["db.statement"], attributes["db.query.text"]]).toEqual(
    Array.from({ length: 3 }, () => "SELECT ? FROM t"),
  )
})

test.each(["mongodb", "redis", "elasticsearch"])("a command of %s, which is no SQL, stays as it is", (system) => {
  expect(sent(`{"find":"orders","limit":1}`, system)).toBe(`{"find":"orders","limit":1}`)
})

test("a query of any length leaves the process without literals, and cut", () => {
  const text = `INSERT INTO t VALUES ${"('a secret', 42), ".repeat(REDACTED_TEXT_LIMIT)}`
  const masked = String(sent(text, "mysql"))
  expect(masked.length).toBeLessThan(REDACTED_TEXT_LIMIT)
  expect(masked).toMatch(/^INSERT INTO t VALUES \(\?, \?\), .*\[Filtered\]$/)
  expect(masked).not.toMatch(/secret|42/)
})
