import { PAGE_ENTRY, PAGE_EXPORT, pageStart, SENTRY_ENTRY, TRANSITION_HOOK } from "../../protocol/next-versions.ts"
import { type AppFiles, findScript } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { CLIENT_FILE, hasSentryInPages, removeTracing, TRACING, TRACING_TASK } from "./edit-sentry.ts"
import { joined, leftToAuthor, newFile, NOTHING, onlyNote, type Plan } from "./edit.ts"
import { nextVersion } from "./next-version.ts"
import { type Exported, exportOf, isCommonJs, isImported, mentions, type Node, type Program } from "./syntax.ts"

const START = "start the page's tracer, which this version of Next does not inject"
const LOCAL_HOOK = "startPagespanNavigation"
const SENTRY_HOOK = "captureRouterTransitionStart"
const IMPORT_HOOK = `import { ${TRANSITION_HOOK} as ${LOCAL_HOOK} } from "${PAGE_ENTRY}"`
const CALL = `${LOCAL_HOOK}(url, navigationType)`

/** Starts the page's tracer in `instrumentation-client` where Next cannot inject it, and disables Sentry's tracing there. */
export function editInstrumentationClient(app: AppFiles): Plan {
  const path = findScript(app, CLIENT_FILE, `src/${CLIENT_FILE}`)
  const isNeeded = pageStart(nextVersion(app)) === "imported"
  const imports = hasSentryInPages(app) ? [`import "${SENTRY_ENTRY}"`] : []
  const lines = [...imports, PAGE_EXPORT]
  if (path === undefined) return isNeeded ? newFile(app, newPath(app), `${lines.join("\n")}\n`) : NOTHING
  const draft = Draft.open(app, path)
  const isStarted = draft !== undefined && startsPage(draft.program)
  if (draft === undefined || (isNeeded && !isStarted && isCommonJs(draft.program)))
    return joined([...(isNeeded ? [onlyNote(path, START, lines)] : []), ...tracingNote(app, path)])
  const notes = removeTracing(app, draft)
  if (!isNeeded) return draft.plan(TRACING_TASK, TRACING, notes)
  if (isStarted) {
    if (!mentions(draft.program, SENTRY_ENTRY)) draft.addImports(imports)
    return draft.plan(START, imports, notes)
  }
  const hook = exportOf(draft.program, TRANSITION_HOOK)
  const byHand = hook === undefined ? lines : [...imports, IMPORT_HOOK, `${CALL} // in your ${TRANSITION_HOOK}`]
  if (hook === undefined) {
    draft.addImports(imports)
    draft.append(PAGE_EXPORT)
  } else if (isOfSentry(hook, draft.program)) {
    draft.addImports([...imports, IMPORT_HOOK])
    draft.replaceStatement(hook.statement, callingBoth(draft, hook.value))
  } else return draft.plan(TRACING_TASK, TRACING, [leftToAuthor(path, START, byHand), ...notes])
  return draft.plan(START, byHand, notes)
}

/** As Sentry's SDK writes it into an app: the export has one of its functions as its value. */
function isOfSentry(hook: Exported, program: Program): hook is Exported & { isDeclared: true } {
  return hook.isDeclared && isImported(program, hook.value, SENTRY_HOOK, "@sentry/nextjs")
}

function callingBoth({ path, text }: Draft, value: Node): string {
  const type = /\.[cm]?tsx?$/.test(path) ? ": string" : ""
  const other = `${text.slice(value.start, value.end)}(url, navigationType)`
  return `export function ${TRANSITION_HOOK}(url${type}, navigationType${type}) {\n  ${CALL}\n  ${other}\n}`
}

/** Next takes this file by its name, whatever the extensions of the app's routes. */
function newPath({ base, isTypeScript }: AppFiles): string {
  return `${base}${CLIENT_FILE}.${isTypeScript ? "ts" : "js"}`
}

function startsPage(program: Program): boolean {
  return mentions(program, PAGE_ENTRY) && mentions(program, TRANSITION_HOOK)
}

function tracingNote(app: AppFiles, path: string): Plan[] {
  return app.packages.has("@sentry/nextjs") ? [onlyNote(path, TRACING_TASK, TRACING)] : []
}
