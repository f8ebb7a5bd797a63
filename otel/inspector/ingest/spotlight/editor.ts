import { spawn } from "node:child_process"
import { withInheritedUmask } from "../../../protocol/private-files.ts"

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
