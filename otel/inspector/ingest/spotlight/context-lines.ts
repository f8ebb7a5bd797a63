import { STACK_FRAME_LIMIT } from "../../../protocol/limits.ts"
import { isObject, type JsonObject, listOf } from "../../../protocol/sentry/json.ts"
import type { SourceRoot } from "./source-root.ts"

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
