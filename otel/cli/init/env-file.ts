import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type AppFiles, findScript, readText } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { sentryFiles } from "./edit-sentry.ts"
import { type Edit, leftToAuthor, NOTHING, type Plan } from "./edit.ts"
import { child, nameOf, type Node, nodesBelow } from "./syntax.ts"

const VARIABLE = "SENTRY_DSN"
const FILE = ".env"
/** The files that Next reads, the ones that take precedence first. */
export const ENV_FILES = [
  ".env.production.local",
  ".env.development.local",
  ".env.local",
  ".env.production",
  ".env.development",
  FILE,
]
const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?SENTRY_DSN[ \t]*=(?<value>.*)$/m
const MISSING = `Set ${VARIABLE} to the DSN of your Sentry.init: the server, where Pagespan reads it, has none. init --dsn writes it into ${FILE}`

/**
 * Writes the DSN into `.env`, which Next reads at run time. Never replaces a value.
 *
 * @param dsn `undefined`: none was given. An app with a `Sentry.init` in pages alone has one that its server cannot see, and gets a note.
 */
export function editEnvironment(app: AppFiles, dsn: string | undefined): Plan {
  const { directory } = app
  const holder = ENV_FILES.find((file) => valueIn(directory, file) !== undefined)
  if (dsn === undefined) return holder === undefined && !process.env[VARIABLE] ? missingNote(app) : NOTHING
  if (holder !== undefined) {
    if (valueIn(directory, holder) === dsn) return NOTHING
    return { edits: [], notes: [`${holder}: ${VARIABLE} is set to another DSN, and init replaces no value`] }
  }
  const before = readText(directory, FILE)
  const line = `${VARIABLE}=${dsn}`
  if (before === undefined && existsSync(join(directory, FILE)))
    return { edits: [], notes: [leftToAuthor(FILE, "not UTF-8; add this line", [line])] }
  const lineEnd = before?.includes("\r\n") ? "\r\n" : "\n"
  const gap = before === undefined || before === "" || before.endsWith("\n") ? "" : lineEnd
  const edit: Edit = {
    path: FILE,
    before,
    after: `${before ?? ""}${gap}${line}${lineEnd}`,
    shownAs: `+${VARIABLE}=… in ${FILE}`,
  }
  return { edits: [edit], notes: trackingNotes(directory) }
}

function valueIn(directory: string, file: string): string | undefined {
  const value = ASSIGNMENT.exec(readText(directory, file) ?? "")?.groups?.["value"]?.trim()
  return value?.replace(/^(["'])(.*)\1$/, "$2") || undefined
}

/** For an app whose `Sentry.init` has a DSN in pages, and none on the server, which Pagespan would use. */
function missingNote(app: AppFiles): Plan {
  const hasDsn = (path: string) => {
    const program = Draft.open(app, path)?.program
    return program !== undefined && [...nodesBelow(program)].some(isDsn)
  }
  const files = sentryFiles(app)
  const ofServer = [...sentryFiles(app, ["sentry.server.config"]), serverFile(app)]
  if (!files.some(hasDsn) || ofServer.some((path) => path !== undefined && hasDsn(path))) return NOTHING
  return { edits: [], notes: [MISSING] }
}

function serverFile(app: AppFiles): string | undefined {
  return findScript(app, "instrumentation", "src/instrumentation")
}

function isDsn(node: Node): boolean {
  return node.type === "ObjectProperty" && nameOf(child(node, "key")) === "dsn"
}

function trackingNotes(directory: string): string[] {
  if (succeeds(directory, "ls-files", "--error-unmatch", FILE))
    return [
      `${FILE} is tracked by git: the DSN becomes part of your history. Add ${FILE} to .gitignore and run git rm --cached ${FILE}`,
    ]
  // Without git, or outside a repository, there is nothing to ignore.
  if (!succeeds(directory, "rev-parse", "--is-inside-work-tree") || succeeds(directory, "check-ignore", "-q", FILE))
    return []
  return [`${FILE} is not ignored by git: add it to .gitignore before you commit`]
}

function succeeds(directory: string, ...words: readonly string[]): boolean {
  try {
    execFileSync("git", ["-C", directory, ...words], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
