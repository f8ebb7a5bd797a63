import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { AppFiles } from "./app-files.ts"
import type { Edit } from "./edit.ts"
import { installedPackage } from "./installed-package.ts"
import { parseScript } from "./syntax.ts"

/** A formatter takes seconds. One that hangs must not hold up the command. */
const LIMIT_MS = 60_000

interface Formatter {
  /** The package that contains its program. */
  readonly name: string
  readonly program: string
  /** Exits with 0 if the files are formatted. */
  readonly check: readonly string[]
  readonly write: readonly string[]
}

/** The formatters that `init` knows, the first that an app lists is used. */
const FORMATTERS: readonly Formatter[] = [
  { name: "prettier", program: "prettier", check: ["--check"], write: ["--write", "--log-level", "silent"] },
  { name: "@biomejs/biome", program: "biome", check: ["format"], write: ["format", "--write"] },
  { name: "oxfmt", program: "oxfmt", check: ["--check"], write: [] },
  { name: "dprint", program: "dprint", check: ["check"], write: ["fmt"] },
]

/** Formats the files that `init` changed. */
export interface FormatChanged {
  /** The formatter's name. */
  readonly name: string
  readonly run: () => Promise<void>
}

/**
 * The app's own formatter for the edited files. It formats new files and those that were formatted before the edit, so that
 * it changes nothing but the edit. Call it before the edits are written. Nothing that goes wrong in a formatter matters:
 * the edits have the style of their file without it, and a file that it breaks is written again.
 *
 * @returns `undefined` if the app has no formatter.
 */
export async function formatterFor(app: AppFiles, edits: readonly Edit[]): Promise<FormatChanged | undefined> {
  const formatter = FORMATTERS.find(({ name }) => app.packages.has(name))
  const file = formatter && programFile(app.directory, formatter)
  const scripts = edits.filter(({ path }) => /\.[cm]?[jt]sx?$/.test(path))
  if (formatter === undefined || file === undefined) return undefined
  const format = (words: readonly string[], paths: readonly string[]) => run(app.directory, file, [...words, ...paths])
  const chosen: Edit[] = []
  for (const edit of scripts)
    if (edit.before === undefined || (await format(formatter.check, [edit.path]))) chosen.push(edit)
  const paths = chosen.map(({ path }) => path)
  return {
    name: formatter.name,
    run: async () => {
      if (paths.length > 0) await format(formatter.write, paths)
      for (const { path, after } of chosen) restoreBroken(join(app.directory, path), path, after)
    },
  }
}

function restoreBroken(file: string, path: string, after: string): void {
  const parsed = existsSync(file) ? parseScript(readFileSync(file, "utf8"), path) : undefined
  if (parsed === undefined || parsed.program.body.length === 0) writeFileSync(file, after)
}

/** The file of the program, by `bin` in its package. */
function programFile(directory: string, { name, program }: Formatter): string | undefined {
  const folder = installedPackage(join(directory, "package.json"), name)
  if (folder === undefined) return undefined
  try {
    const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      bin?: string | Record<string, string>
    }
    const path = typeof bin === "string" ? bin : bin?.[program]
    return path === undefined ? undefined : join(folder, path)
  } catch {
    // A manifest that cannot be read: the app works without the formatter too.
    return undefined
  }
}

/** Whether the program ended with code 0 in time. A program without an extension of a script is a binary. */
function run(directory: string, file: string, words: readonly string[]): Promise<boolean> {
  const isScript = /\.[cm]?js$/.test(file) || /^#!.*\bnode\b/.test(readFileSync(file).subarray(0, 80).toString())
  const [program, given] = isScript ? [process.execPath, [file, ...words]] : [file, words]
  const child = spawn(program, given, { cwd: directory, stdio: "ignore", timeout: LIMIT_MS, killSignal: "SIGKILL" })
  return new Promise((done) => child.once("error", () => done(false)).once("close", (code) => done(code === 0)))
}
