import { spawn } from "node:child_process"
import { readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, relative, resolve } from "node:path"
import { STACK_FRAME_LIMIT } from "../../../protocol/limits.ts"
import { withInheritedUmask } from "../../../protocol/private-files.ts"
import { isObject, type JsonObject, listOf } from "../../../protocol/sentry/json.ts"

/** No source file that a person wrote is larger. */
const FILE_LIMIT_BYTES = 4 * 1024 * 1024

/**
 * The one folder whose files may be opened and shown. A request names files, and a request can come from anywhere: links
 * are followed before it is decided whether a file lies within.
 */
export class SourceRoot {
  constructor(private readonly directory: string | undefined) {}

  get isConfigured(): boolean {
    return this.directory !== undefined
  }

  /** The file's real path; `undefined` when it is none, is too large, or lies elsewhere. Paths are absolute, URLs of files, or relative to the root. */
  async find(told: string): Promise<string | undefined> {
    if (this.directory === undefined || told.includes("\0")) return undefined
    try {
      const root = await realpath(this.directory)
      const file = await realpath(resolve(root, told.replace(/^file:\/\//, "")))
      const within = relative(root, file)
      if (within === "" || isAbsolute(within) || within.split(/[\\/]/, 1)[0] === "..") return undefined
      const { size } = await stat(file)
      return size <= FILE_LIMIT_BYTES && (await stat(file)).isFile() ? file : undefined
    } catch {
      // There is no such file, or it may not be read: to whoever asks that is the same.
      return undefined
    }
  }

  async lines(told: string): Promise<readonly string[] | undefined> {
    const file = await this.find(told)
    // Between the look and the read it may have gone.
    const text = file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined)
    return text?.split(/\r?\n/)
  }
}

/** As many as Sentry's SDKs send before and after a frame's line. */
const LINES_AROUND = 7
/** Longer lines are not written by people. */
const LINE_LIMIT = 512

/** The stack trace with the lines around each frame whose file lies within the root; all else stays as it is. */
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

/** Starts the editor at the place; `false` when there is no such program. No shell reads any of it. */
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
      spawn(/* turbopackIgnore: true */ program, parameters, { stdio: "ignore", detached: true }),
    )
    child.once("error", () => settle(false))
    child.once("spawn", () => {
      child.unref()
      settle(true)
    })
  })
}

const PLACE = /^(?<file>.+?)(?::(?<line>\d{1,9}))?(?::(?<column>\d{1,9}))?$/s

/** `file:line:column`, of which line and column may be absent. */
export function parsePlace(text: string): Place | undefined {
  const groups = PLACE.exec(text)?.groups
  if (groups?.["file"] === undefined) return undefined
  return { file: groups["file"], line: Number(groups["line"] ?? 1), column: Number(groups["column"] ?? 1) }
}
