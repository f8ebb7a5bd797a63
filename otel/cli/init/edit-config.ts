import { type AppFiles, findScript } from "./app-files.ts"
import {
  assertionFor,
  assigned,
  CONFIG_TYPE,
  type ConfigExport,
  exportsOf,
  isConfig,
  isModuleExports,
} from "./config-value.ts"
import { Draft } from "./draft.ts"
import { newFile, NOTHING, onlyNote, type Plan } from "./edit.ts"
import { child, importsFrom, mentions, nameOf, type Node, nodesBelow, type Program } from "./syntax.ts"

const WRAPPER = "withPagespan"
const ENTRY = "pagespan/next"
const TASK = `wrap the exported configuration in ${WRAPPER}(…) from ${ENTRY}`
const IMPORT = `import { ${WRAPPER} } from "${ENTRY}"`
const REQUIRE = `const { ${WRAPPER} } = require("${ENTRY}")`
const IMPORT_TYPE = `import type { ${CONFIG_TYPE} } from "next"`

/** Wraps the configuration that `next.config` exports in `withPagespan`, which accepts objects and functions. */
export function editConfig(app: AppFiles): Plan {
  const path = findScript(app, "next.config")
  if (path === undefined)
    return newFile(
      app,
      app.isTypeScript ? "next.config.ts" : "next.config.mjs",
      `${IMPORT}\n\nexport default ${WRAPPER}({})\n`,
    )
  const draft = Draft.open(app, path)
  if (draft === undefined) return onlyNote(path, TASK, linesFor(true))
  const { program } = draft
  if (mentions(program, ENTRY)) return NOTHING
  const exported = exportsOf(program)
  const last = exported.at(-1)
  const lines = linesFor(last?.isModule !== false, last && shown(last.value, draft))
  const assertion = last && neededAssertion(draft, exported, last)
  if (last === undefined || assertion === undefined) return onlyNote(path, TASK, lines)
  const isTypeKnown = importsFrom(program, "next", true).some((each) => nameOf(child(each, "local")) === CONFIG_TYPE)
  const needsType = assertion !== "" && !isTypeKnown
  if (needsType && mentions(program, CONFIG_TYPE)) return onlyNote(path, TASK, lines)
  draft.addImports([...(needsType ? [IMPORT_TYPE] : []), last.isModule ? IMPORT : REQUIRE])
  draft.wrap(last.holder, last.key, WRAPPER, assertion || undefined)
  return draft.plan(TASK, lines)
}

/** The type to assert, `""` if none is needed, `undefined` if only the author can wrap the exported value. */
function neededAssertion(draft: Draft, exported: readonly ConfigExport[], last: ConfigExport): string | undefined {
  const { program } = draft
  const isConditional = assigned(program, isModuleExports).length > exported.length
  if (mentions(program, WRAPPER) || isConditional || isUsedElsewhere(last.value, program)) return undefined
  if (!exported.every(({ value }) => isConfig(value, program))) return undefined
  const assertion = isTypeChecked(draft) ? assertionFor(last.value, program) : ""
  return assertion === "" || (isTypeScript(draft) && last.isModule) ? assertion : undefined
}

function linesFor(isModule: boolean, config = "nextConfig"): string[] {
  return isModule
    ? [IMPORT, `export default ${WRAPPER}(${config})`]
    : [REQUIRE, `module.exports = ${WRAPPER}(${config})`]
}

/** The exported value as the lines to paste show it. */
function shown({ start, end }: Node, { text }: Draft): string {
  const value = text.slice(start, end)
  return /^[^\r\n]{1,60}$/.test(value) ? value : "nextConfig"
}

/** A function declaration is hoisted, unlike the value that it becomes as an argument. */
function isUsedElsewhere(value: Node, program: Program): boolean {
  const name = value.type === "FunctionDeclaration" ? nameOf(child(value, "id")) : undefined
  return name !== undefined && [...nodesBelow(program)].filter((node) => nameOf(node) === name).length > 1
}

function isTypeScript({ path }: Draft): boolean {
  return /\.[cm]?ts$/.test(path)
}

function isTypeChecked(draft: Draft): boolean {
  const { text } = draft
  return isTypeScript(draft) || /^\uFEFF?[ \t]*\/\/[ \t]*@ts-check/m.test(text)
}
