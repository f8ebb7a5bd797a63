import { type AppFiles, findScript, readText } from "./app-files.ts"
import { applyChanges, type Change, type Plan } from "./edit.ts"
import { addImports, child, children, nameOf, type Node, nodesBelow, readProgram } from "./syntax.ts"

const OBSERVER = "RouteObserver"
const BY_HAND = `put <Suspense fallback={null}><${OBSERVER} /></Suspense> of pagespan/react into <body> by hand`

/** The root layout: one element, which renders nothing, in the suspense boundary that `cacheComponents` asks for. */
export function editLayout(app: AppFiles): Plan {
  const path = findScript(app, `${app.base}app/layout`)
  if (path === undefined) return { edits: [], notes: [`${app.base}app/layout: there is none; ${BY_HAND}`] }
  const before = readText(app.directory, path) ?? ""
  if (before.includes(OBSERVER)) return { edits: [], notes: [] }
  const program = readProgram(before)
  const body = program && [...nodesBelow(program)].find((node) => isElement(node, "body"))
  const opening = body && child(body, "openingElement")
  if (program === undefined || opening === undefined) return { edits: [], notes: [`${path}: ${BY_HAND}`] }
  const imports = [`import { ${OBSERVER} } from "pagespan/react"`]
  if (!importsSuspense(program.body)) imports.unshift(`import { Suspense } from "react"`)
  const changes = [addImports(program, imports), insertAfter(opening, before)]
  return { edits: [{ path, before, after: applyChanges(before, changes) }], notes: [] }
}

function insertAfter(opening: Node, text: string): Change {
  const line = text.slice(text.lastIndexOf("\n", opening.start) + 1, opening.start)
  const indent = /^\s*$/.test(line) ? `${line}  ` : "        "
  const element = `\n${indent}<Suspense fallback={null}>\n${indent}  <${OBSERVER} />\n${indent}</Suspense>`
  const isLineEnd = /^[ \t]*\n/.test(text.slice(opening.end))
  return { start: opening.end, end: opening.end, text: isLineEnd ? element : `${element}\n${indent}` }
}

function isElement(node: Node, name: string): boolean {
  const opening = node.type === "JSXElement" ? child(node, "openingElement") : undefined
  return opening !== undefined && nameOf(child(opening, "name")) === name
}

function importsSuspense(body: readonly Node[]): boolean {
  return body
    .filter(({ type }) => type === "ImportDeclaration")
    .flatMap((statement) => children(statement, "specifiers"))
    .some((specifier) => nameOf(child(specifier, "local")) === "Suspense")
}
