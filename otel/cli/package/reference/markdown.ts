/** Stands at the top of every page that is written by \`npm run reference\`. */
export const GENERATED = "\n<!-- Written by npm run reference; a test compares. -->\n"

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n")
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
}
