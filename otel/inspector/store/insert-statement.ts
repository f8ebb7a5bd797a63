/**
 * The place in an insert of the rows that its request has as body. To a ClickHouse server it is a comment. The store process replaces
 * it by the file that it has written the body to.
 */
export const ROWS_OF_BODY = "/* rows of the body */"

/**
 * The SQL of an insert whose rows are the body of its request.
 *
 * @param insert table, columns and settings, as SQL; `format` is one of ClickHouse's.
 */
export function insertStatement({ table, columns, settings, format }: InsertStatement): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) ${ROWS_OF_BODY} SETTINGS ${settings.join(", ")} FORMAT ${format}`
}

interface InsertStatement {
  readonly table: string
  readonly columns: readonly string[]
  readonly settings: readonly string[]
  readonly format: "JSONCompactEachRow" | "JSONEachRow" | "Native"
}
