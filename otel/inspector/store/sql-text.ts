/** Text as a part of SQL, for the places that no bound parameter can take. */

/** A string literal. Only a backslash and a quote can end one early. */
export function stringLiteral(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}

/** A quoted column name. Names are ours: no text from outside is one. */
export function columnName(name: string): string {
  return `\`${name}\``
}

/** Text for a pattern of `LIKE` or `ILIKE`, in which every character matches itself. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}
