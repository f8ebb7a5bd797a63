import { spawn } from "node:child_process"
import { readFile, realpath, stat } from "node:fs/promises"
import { extname, isAbsolute, relative, resolve } from "node:path"
import { STACK_FRAME_LIMIT } from "../../../protocol/limits.ts"
import { withInheritedUmask } from "../../../protocol/private-files.ts"
import { isObject, type JsonObject, listOf } from "../../../protocol/sentry/json.ts"
import { foreignEnvironment } from "../../foreign-environment.ts"

/** Larger files are not source code. */
const FILE_LIMIT_BYTES = 4 * 1024 * 1024

/** Extensions of what a stack frame names. Formats of data and configuration, which may hold secrets, are not among them. */
const SOURCE_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "js mjs cjs jsx ts mts cts tsx vue svelte astro mdx css scss " +
    "py rb php go rs java kt kts scala swift m mm c h cc cpp cxx hpp cs fs vb dart ex exs erl clj lua pl r jl"
  )
    .split(" ")
    .map((extension) => `.${extension}`),
)

/**
 * The one directory whose source files may be opened and shown. Paths come from requests, so symbolic links are resolved
 * before the checks: a file lies within the directory, it has the extension of a source file, and neither it nor a directory
 * on its path has a name that begins with a dot.
 */
export class SourceRoot {
  constructor(private readonly directory: string | undefined) {}

  get isConfigured(): boolean {
    return this.directory !== undefined
  }

  /** The real path of a file, given as an absolute path, a `file:` URL, or a path relative to the root. `undefined` when there is no such source file within the root, or it is too large. */
  async find(path: string): Promise<string | undefined> {
    if (this.directory === undefined || path.includes("\0")) return undefined
    try {
      const root = await realpath(this.directory)
      const file = await realpath(resolve(root, path.replace(/^file:\/\//, "")))
      if (!isSource(relative(root, file))) return undefined
      const stats = await stat(file)
      return stats.isFile() && stats.size <= FILE_LIMIT_BYTES ? file : undefined
    } catch {
      // No such file, or no permission: the response does not tell them apart.
      return undefined
    }
  }

  async lines(path: string): Promise<readonly string[] | undefined> {
    const file = await this.find(path)
    // The file may be deleted after `find`.
    const text = file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined)
    return text?.split(/\r?\n/)
  }
}

/** @param within path from the root. One that leads out of it begins with two dots, or is absolute on another drive. */
function isSource(within: string): boolean {
  if (within === "" || isAbsolute(within)) return false
  const isVisible = within.split(/[\\/]/).every((segment) => !segment.startsWith("."))
  return isVisible && SOURCE_EXTENSIONS.has(extname(within).toLowerCase())
}

/** Lines before and after a frame's own, as many as Sentry's SDKs send. */
const LINES_AROUND = 7
/** Longer lines, as of minified code, are cut. */
const LINE_LIMIT = 512

/** The stack trace, with context lines for each frame whose file lies within the root. */
export async function withContextLines(stacktrace: JsonObject, root: SourceRoot): Promise<JsonObject> {
  const frames = listOf(stacktrace["frames"]).slice(0, STACK_FRAME_LIMIT)
  const files = new Map<string, Promise<readonly string[] | undefined>>()
  const linesOf = (file: string) => {
    const lines = files.get(file) ?? root.lines(file)
    files.set(file, lines)
    return lines
  }
  return { ...stacktrace, frames: await Promise.all(frames.map((frame) => completed(frame, linesOf))) }
}

async function completed(
  frame: unknown,
  linesOf: (file: string) => Promise<readonly string[] | undefined>,
): Promise<unknown> {
  if (!isObject(frame) || typeof frame["lineno"] !== "number") return frame
  const file = frame["abs_path"] ?? frame["filename"]
  const lines = typeof file === "string" ? await linesOf(file) : undefined
  const index = frame["lineno"] - 1
  if (lines?.[index] === undefined) return frame
  const cut = (from: number, to: number) => lines.slice(Math.max(from, 0), to).map((line) => line.slice(0, LINE_LIMIT))
  return {
    ...frame,
    pre_context: cut(index - LINES_AROUND, index),
    context_line: cut(index, index + 1)[0],
    post_context: cut(index + 1, index + 1 + LINES_AROUND),
  }
}

export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Starts the editor; `false` when there is no such program. Runs no shell. */
export function openEditor(command: string, { file, line, column }: Place): Promise<boolean> {
  const [program = "", ...parameters] = command
    .split(" ")
    .filter((word) => word !== "")
    .map((word) =>
      word
        .replaceAll("{line}", String(line))
        .replaceAll("{column}", String(column))
        .replaceAll("{file}", () => file),
    )
  return new Promise((settle) => {
    const child = withInheritedUmask(() =>
      spawn(/* turbopackIgnore: true */ program, parameters, {
        env: foreignEnvironment(),
        stdio: "ignore",
        detached: true,
      }),
    )
    child.once("error", () => settle(false))
    child.once("spawn", () => {
      child.unref()
      settle(true)
    })
  })
}

const PLACE = /^(?<file>.+?)(?::(?<line>\d{1,9}))?(?::(?<column>\d{1,9}))?$/s

/** `file:line:column`; line and column are optional and default to 1. */
export function parsePlace(text: string): Place | undefined {
  const groups = PLACE.exec(text)?.groups
  if (groups?.["file"] === undefined) return undefined
  return { file: groups["file"], line: Number(groups["line"] ?? 1), column: Number(groups["column"] ?? 1) }
}
