import { type AppFiles, findScript, newScript, resolveImport, routeFolders } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { rootLayouts } from "./edit-layout.ts"
import { hasSentryInPages } from "./edit-sentry.ts"
import { extendImport } from "./extend-import.ts"
import { joined, newFile, NOTHING, onlyNote, type Plan } from "./edit.ts"
import {
  bindingsOf,
  child,
  children,
  expressionOf,
  importedName,
  importsFrom,
  mentions,
  nameOf,
  type Node,
  nodesBelow,
  type Program,
  statementsOf,
  stringOf,
} from "./syntax.ts"

const ENTRY = "pagespan/react"
const REPORT = "reportError"
const ERROR = "error"
const ALIAS = "reportToPagespan"
const TASK = `report the error with ${REPORT} from ${ENTRY}`
const IMPORT = `import { ${REPORT} } from "${ENTRY}"`
const SENTRY_PACKAGES = ["@sentry/nextjs", "@sentry/react", "@sentry/browser"]
const IMPORT_EFFECT = `import { useEffect } from "react"`
const BY_HAND = [IMPORT_EFFECT, IMPORT, `useEffect(() => ${REPORT}(error), [error]) // in your component`]

/** Makes the app's error boundaries report: React hides an error that a boundary caught from global handlers. */
export function editErrorViews(app: AppFiles): Plan {
  const names = routeFolders(app).map((folder) => `${folder}/error`)
  const global = `${app.base}app/global-error`
  const existing = [...names, global].flatMap((name) => findScript(app, name) ?? [])
  const roots = rootLayouts(app).map((path) => `${path.slice(0, path.lastIndexOf("/"))}/error`)
  const views = roots.length > 0 ? roots : [`${app.base}app/error`]
  // Visitors see the app's own global view, which another view below it would replace.
  const needed = findScript(app, global) === undefined ? [...views, global] : []
  const missing = needed.filter((name) => findScript(app, name) === undefined)
  return joined([...existing.map((path) => editView(app, path)), ...missing.map((name) => newView(app, name))])
}

function editView(app: AppFiles, path: string): Plan {
  const draft = Draft.open(app, path)
  if (draft === undefined) return onlyNote(path, TASK, BY_HAND)
  const { program } = draft
  if (isReporting(program) || importedPrograms(app, draft).some(isReporting)) return NOTHING
  const captures = [...nodesBelow(program)].filter((node) => isCapture(node, program))
  if (captures.length > 0 && hasSentryInPages(app)) return NOTHING
  const component = componentOf(program)
  const error = component && (errorOf(component) ?? addParameter(draft, component))
  const body = component && child(component, "body")
  if (error === undefined || body?.type !== "BlockStatement") return onlyNote(path, TASK, BY_HAND)
  // The name is also that of a global function, and may be that of the app's own.
  const report = mentions(program, REPORT) ? ALIAS : REPORT
  const importReport = report === REPORT ? IMPORT : `import { ${REPORT} as ${ALIAS} } from "${ENTRY}"`
  // Without a Sentry client of the app, its calls would send nothing, or the same error again.
  if (captures.length > 0) {
    draft.addImports([importReport])
    for (const { callee } of captures.map((call) => ({ callee: child(call, "callee") })))
      if (callee !== undefined) draft.replaceName(callee, report)
    return draft.plan(TASK, BY_HAND)
  }
  const hook = effectHook(program)
  if (hook === undefined) return onlyNote(path, TASK, BY_HAND)
  const hasHook = hook.isImported || extendImport(draft, hook.name, "react")
  draft.addImports([...(hasHook ? [] : [IMPORT_EFFECT]), importReport])
  insertFirst(draft, body, `${hook.name}(() => ${report}(${error}), [${error}])`)
  return draft.plan(TASK, BY_HAND)
}

function isReporting(program: Program): boolean {
  return importsFrom(program, ENTRY).some((each) => nameOf(child(each, "imported")) === REPORT)
}

/** The app's own files that the view imports: one of them may report for it. */
function importedPrograms(app: AppFiles, { program, path }: Draft): Program[] {
  return program.body.flatMap((statement) => {
    const target = resolveImport(app, path, stringOf(child(statement, "source")) ?? "")
    return target === undefined ? [] : (Draft.open(app, target)?.program ?? [])
  })
}

/** `Sentry.captureException(error)` with any of Sentry's packages for pages. */
function isCapture(node: Node, program: Program): boolean {
  const callee = node.type === "CallExpression" ? child(node, "callee") : undefined
  if (callee === undefined || children(node, "arguments").length !== 1) return false
  const name = nameOf(child(callee, "object")) ?? nameOf(callee) ?? ""
  const imported = new Set(SENTRY_PACKAGES.map((from) => importedName(program, name, from)))
  const isMethod = imported.has("*") && nameOf(child(callee, "property")) === "captureException"
  return isMethod || imported.has("captureException")
}

/** The function that the module exports by default. */
function componentOf(program: Program): Node | undefined {
  const statement = program.body.find(({ type }) => type === "ExportDefaultDeclaration")
  const value = statement && child(statement, "declaration")
  const values = value?.type === "Identifier" ? bindingsOf(program, nameOf(value) ?? "") : [value]
  const [component, another] = values
  return another === undefined && /Function/.test(component?.type ?? "") ? component : undefined
}

/** The expression of the error in the component: its property's name, or a property of its only parameter. */
function errorOf(component: Node): string | undefined {
  const [parameter] = children(component, "params")
  if (parameter?.type === "Identifier") return `${nameOf(parameter)}.error`
  if (parameter?.type !== "ObjectPattern") return undefined
  const property = children(parameter, "properties").find((each) => nameOf(child(each, "key")) === ERROR)
  const local = property && child(property, "value")
  return local?.type === "Identifier" ? nameOf(local) : undefined
}

/** The head of a function without parameters, up to the bracket that closes them. */
const NO_PARAMETERS = /^(?:async\s+)?(?:function\b\s*)?(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s*)?\(\s*(?=\))/u

/** Takes the error from the properties, and adds it to their literal type, if nothing in the component has its name. */
function addParameter(draft: Draft, component: Node): string | undefined {
  const [pattern, another] = children(component, "params")
  if (pattern === undefined) return addOnlyParameter(draft, component)
  const [first] = children(pattern, "properties")
  if (pattern.type !== "ObjectPattern" || first === undefined || another !== undefined) return undefined
  const type = child(pattern, "typeAnnotation")
  const names = [...nodesBelow(component)].filter((node) => nameOf(node) === ERROR)
  const ofType = type === undefined ? [] : [...nodesBelow(type)].filter((node) => nameOf(node) === ERROR)
  const isTyped = type === undefined ? !/\.tsx?$/.test(draft.path) : ofType.length === 1
  if (names.length > ofType.length || !(isTyped || addToType(draft, type))) return undefined
  draft.insert(first.start, `${ERROR},${spaceBefore(draft, pattern, first)}`, () => {
    const [added] = children(expressionOf(`({ ${ERROR} }) => 0`), "params").flatMap((each) =>
      children(each, "properties"),
    )
    pattern["properties"] = [added, ...children(pattern, "properties")]
  })
  return ERROR
}

/** Adds the error to the literal type of the properties. @returns whether they have one, with a member and without the error. */
function addToType(draft: Draft, annotation: Node | undefined): boolean {
  const type = annotation && child(annotation, "typeAnnotation")
  const [first, ...others] = type?.type === "TSTypeLiteral" ? children(type, "members") : []
  if (type === undefined || first === undefined) return false
  if ([first, ...others].some((member) => nameOf(child(member, "key")) === ERROR)) return false
  const space = spaceBefore(draft, type, first)
  const separator = /[;,]$/.exec(draft.text.slice(first.start, first.end))?.[0] ?? (space === " " ? ";" : "")
  draft.insert(first.start, `${ERROR}: unknown${separator}${space}`, () => {
    const typed = nodesBelow(expressionOf(`({ ${ERROR} }: { ${ERROR}: unknown }) => 0`))
    const added = [...typed].find((node) => node.type === "TSPropertySignature")
    type["members"] = [added, ...children(type, "members")]
  })
  return true
}

/** The space after what is inserted before the first element of a list: a line break if that element begins its line. */
function spaceBefore(draft: Draft, list: Node, first: Node): string {
  const isOnOwnLine = /\n[ \t]*$/.test(draft.text.slice(list.start, first.start))
  return isOnOwnLine ? `\n${draft.indentAt(first.start)}` : " "
}

function addOnlyParameter(draft: Draft, component: Node): string | undefined {
  const head = NO_PARAMETERS.exec(draft.text.slice(component.start, component.end))
  const isTaken = [...nodesBelow(component)].some((node) => nameOf(node) === ERROR)
  if (head === null || isTaken) return undefined
  const code = /\.tsx?$/.test(draft.path) ? `{ ${ERROR} }: { ${ERROR}: unknown }` : `{ ${ERROR} }`
  draft.insert(component.start + head[0].length, code, () => {
    component["params"] = children(expressionOf(`(${code}) => 0`), "params")
  })
  return ERROR
}

/** `useEffect` as the module calls it, or as it can after an import. `undefined` if the name is taken. */
function effectHook(program: Program): { name: string; isImported: boolean } | undefined {
  const specifiers = importsFrom(program, "react")
  const named = specifiers.find((each) => nameOf(child(each, "imported")) === "useEffect")
  if (named !== undefined) return { name: nameOf(child(named, "local")) ?? "useEffect", isImported: true }
  const whole = specifiers.find(({ type }) => /^Import(?:Namespace|Default)Specifier$/.test(type))
  if (whole !== undefined) return { name: `${nameOf(child(whole, "local"))}.useEffect`, isImported: true }
  return mentions(program, "useEffect") ? undefined : { name: "useEffect", isImported: false }
}

function insertFirst(draft: Draft, body: Node, code: string): void {
  const { text } = draft
  const at = body.start + 1
  const outer = draft.indentAt(body.start)
  const isLineEnd = /^[ \t]*\r?\n/.test(text.slice(at))
  const indent = /^\r?\n([ \t]+)\S/.exec(text.slice(at))?.[1] ?? `${outer}${draft.style.indent}`
  const end = isLineEnd ? "" : `\n${children(body, "body").length === 0 ? outer : indent}`
  const spaces = isLineEnd ? 0 : (/^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0)
  draft.change({ start: at, end: at + spaces, text: `\n${indent}${draft.code(code)}${end}` }, () => {
    body["body"] = [...statementsOf(code), ...children(body, "body")]
  })
}

/** A view with its report and nothing that an app would have to undo. */
function newView(app: AppFiles, name: string): Plan {
  const isGlobal = name.endsWith("global-error")
  const parameter = "{ error, reset }"
  const type = "{ error: Error & { digest?: string }; reset: () => void }"
  const content = ["<main>", "  <h1>Something went wrong</h1>", '  <button type="button" onClick={() => reset()}>']
  const lines = [...content, "    Try again", "  </button>", "</main>"]
  const document = ['<html lang="en">', "  <body>", ...lines.map((line) => `    ${line}`), "  </body>", "</html>"]
  const code = `"use client"

${IMPORT_EFFECT}
${IMPORT}

export default function ${isGlobal ? "GlobalError" : "ErrorView"}(${parameter}${app.isTypeScript ? `: ${type}` : ""}) {
  useEffect(() => ${REPORT}(error), [error])
  return (
${(isGlobal ? document : lines).map((line) => `    ${line}`).join("\n")}
  )
}
`
  return newFile(app, newScript(app, name, true), code)
}
