import { type AppFiles, findScript, readText, routeFolders } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { extendImport } from "./extend-import.ts"
import { joined, NOTHING, onlyNote, type Plan } from "./edit.ts"
import {
  child,
  children,
  expressionOf,
  importedName,
  mentions,
  nameOf,
  type Node,
  nodesBelow,
  parseScript,
  type Program,
} from "./syntax.ts"

const OBSERVER = "RouteObserver"
const TASK = `add ${OBSERVER} from pagespan/react to <body>`
const ELEMENT = `<Suspense fallback={null}>\n  <${OBSERVER} />\n</Suspense>`
const IMPORT = `import { ${OBSERVER} } from "pagespan/react"`
const IMPORT_SUSPENSE = `import { Suspense } from "react"`
const BY_HAND = [IMPORT_SUSPENSE, IMPORT, ...ELEMENT.split("\n")]

/**
 * Adds one element to each root layout. It renders nothing, in the Suspense boundary that `cacheComponents` requires.
 */
export function editLayouts(app: AppFiles): Plan {
  const paths = rootLayouts(app)
  if (paths.length === 0) return onlyNote(`${app.base}app/layout`, `not found; ${TASK}`, BY_HAND)
  return joined(paths.map((path) => editLayout(app, path)))
}

/**
 * The layouts that render `<body>`: `app/layout`, or those of `app/[locale]` or of route groups. Without any, the outermost
 * ones.
 */
export function rootLayouts(app: AppFiles): string[] {
  const layouts = routeFolders(app).flatMap((folder) => findScript(app, `${folder}/layout`) ?? [])
  const rendering = layouts.filter((path) => bodiesOf(app, path).length > 0)
  const found = rendering.length > 0 ? rendering : layouts
  return found.filter((path) => !found.some((other) => other !== path && path.startsWith(folderOf(other))))
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1)
}

function bodiesOf(app: AppFiles, path: string): Node[] {
  const parsed = parseScript(readText(app.directory, path) ?? "", path)
  return parsed === undefined ? [] : bodiesIn(parsed.program)
}

function bodiesIn(program: Program): Node[] {
  return [...nodesBelow(program)].filter((node) => isElement(node, "body"))
}

/** Of several, those that render `children`: a layout may return an empty document early. */
function bodiesWithPages(program: Program): Node[] {
  const bodies = bodiesIn(program)
  return bodies.length < 2 ? bodies : bodies.filter((body) => mentions(body, "children"))
}

function editLayout(app: AppFiles, path: string): Plan {
  const draft = Draft.open(app, path)
  if (draft === undefined) return onlyNote(path, TASK, BY_HAND)
  const { program } = draft
  if (mentions(program, OBSERVER)) return NOTHING
  const [body, another] = bodiesWithPages(program)
  const opening = body && child(body, "openingElement")
  if (body === undefined || another !== undefined || opening === undefined || opening["selfClosing"] === true)
    return onlyNote(path, TASK, BY_HAND)
  const hasSuspense =
    importedName(program, "Suspense", "react") === "Suspense" || extendImport(draft, "Suspense", "react")
  draft.addImports(hasSuspense ? [IMPORT] : [IMPORT_SUSPENSE, IMPORT])
  insertFirst(draft, body, opening)
  return draft.plan(TASK, BY_HAND)
}

function insertFirst(draft: Draft, body: Node, opening: Node): void {
  const { text, style } = draft
  const outer = draft.indentAt(opening.start)
  const indent = `${outer}${style.indent}`
  const rest = children(body, "children")
  // The line of `<body>` keeps its end.
  const [lineEnd] = /^[ \t]*\r?\n/.exec(text.slice(opening.end)) ?? [""]
  // React renders a space that is followed by content on the same line.
  const isAlone = lineEnd !== "" || /^[ \t]/.test(text.slice(opening.end))
  // An element ends without the semicolon of a statement.
  const element = `${indent}${draft.code(ELEMENT, indent).replace(/;$/, "")}`
  const added = lineEnd === "" ? `\n${element}${isAlone ? "" : `\n${indent}`}` : `${element}\n`
  draft.insert(opening.end + lineEnd.length, added, () => {
    body["children"] = [expressionOf(ELEMENT), ...rest]
  })
  const closing = child(body, "closingElement")
  // A single line becomes several. Text would change with a line break behind it.
  if (closing !== undefined && rest.at(-1)?.type !== "JSXText" && !isAlone) draft.insert(closing.start, `\n${outer}`)
}

function isElement(node: Node, name: string): boolean {
  const opening = node.type === "JSXElement" ? child(node, "openingElement") : undefined
  return opening !== undefined && nameOf(child(opening, "name")) === name
}
