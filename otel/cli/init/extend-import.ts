import type { Draft } from "./draft.ts"
import { child, children, type Node, statementsOf, stringOf } from "./syntax.ts"

/**
 * Adds a name to an import of values from the package, since linters refuse a second one.
 *
 * @returns `false` if the file has none that can hold a name: an import of types, of the namespace, or for its side effects.
 */
export function extendImport(draft: Draft, name: string, from: string): boolean {
  const found = draft.program.body.find((statement) => mayHoldNames(statement, from))
  const last = found && children(found, "specifiers").at(-1)
  if (found === undefined || last === undefined) return false
  const [added] = statementsOf(`import { ${name} } from "${from}"`).flatMap((each) => children(each, "specifiers"))
  const before = draft.text.slice(found.start, last.start)
  // A list with a line for each name.
  const space = /\n[ \t]*$/.exec(before)?.[0] ?? " "
  const text = last.type === "ImportDefaultSpecifier" ? `, { ${name} }` : `,${space}${name}`
  draft.insert(last.end, text, () => {
    found["specifiers"] = [...children(found, "specifiers"), { ...added, start: last.end, end: last.end }]
  })
  return true
}

/** `import { a, type B }` or `import a`, without `type` and `* as` in front. */
function mayHoldNames(statement: Node, from: string): boolean {
  if (statement.type !== "ImportDeclaration" || statement["importKind"] === "type") return false
  const specifiers = children(statement, "specifiers")
  return (
    specifiers.length > 0 &&
    stringOf(child(statement, "source")) === from &&
    specifiers.every(({ type }) => type !== "ImportNamespaceSpecifier")
  )
}
