import { type AppFiles, findScript } from "./app-files.ts"
import { Draft, leftToAuthor, NOTHING, type Plan } from "./edit.ts"
import { child, children, importedName, mentions, nameOf, type Node, nodesBelow, statementsOf } from "./syntax.ts"

const OBSERVER = "RouteObserver"
const TASK = `add ${OBSERVER} from pagespan/react to <body>`
const ELEMENT = ["<Suspense fallback={null}>", `  <${OBSERVER} />`, "</Suspense>"]
const IMPORT = `import { ${OBSERVER} } from "pagespan/react"`
const IMPORT_SUSPENSE = `import { Suspense } from "react"`
const BY_HAND = [IMPORT_SUSPENSE, IMPORT, ...ELEMENT]

/** Adds one element to the root layout. It renders nothing, in the Suspense boundary that `cacheComponents` requires. */
export function editLayout(app: AppFiles): Plan {
  const path = findScript(app, `${app.base}app/layout`)
  if (path === undefined)
    return { edits: [], notes: [leftToAuthor(`${app.base}app/layout`, `not found; ${TASK}`, BY_HAND)] }
  const draft = Draft.open(app, path)
  if (draft === undefined) return { edits: [], notes: [leftToAuthor(path, TASK, BY_HAND)] }
  const { program } = draft
  if (mentions(program, OBSERVER)) return NOTHING
  const [body, another] = [...nodesBelow(program)].filter((node) => isElement(node, "body"))
  const opening = body && child(body, "openingElement")
  if (body === undefined || another !== undefined || opening === undefined || opening["selfClosing"] === true)
    return { edits: [], notes: [leftToAuthor(path, TASK, BY_HAND)] }
  const hasSuspense = importedName(program, "Suspense", "react") === "Suspense"
  draft.addImports(hasSuspense ? [IMPORT] : [IMPORT_SUSPENSE, IMPORT])
  insertFirst(draft, body, opening)
  return draft.plan(TASK, BY_HAND)
}

function insertFirst(draft: Draft, body: Node, opening: Node): void {
  const { text } = draft
  const line = text.slice(text.lastIndexOf("\n", opening.start) + 1, opening.start)
  const unit = line.endsWith("\t") ? "\t" : "  "
  const indent = /^\s*$/.test(line) ? `${line}${unit}` : "        "
  const element = ELEMENT.map((each) => `\n${indent}${each.replace(/^ {2}/, unit)}`).join("")
  // React renders a space that is followed by content on the same line.
  const isAlone = /^(?:[ \t]|\r?\n)/.test(text.slice(opening.end))
  draft.insert(opening.end, isAlone ? element : `${element}\n${indent}`, () => {
    const [statement] = statementsOf(ELEMENT.join("\n"))
    body["children"] = [statement && child(statement, "expression"), ...children(body, "children")]
  })
}

function isElement(node: Node, name: string): boolean {
  const opening = node.type === "JSXElement" ? child(node, "openingElement") : undefined
  return opening !== undefined && nameOf(child(opening, "name")) === name
}
