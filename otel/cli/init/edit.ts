import type { AppFiles } from "./app-files.ts"
import { restyled } from "./style.ts"

/** A file before and after an edit. */
export interface Edit {
  /** Relative to the app. */
  readonly path: string
  /** `undefined` for a new file. */
  readonly before: string | undefined
  readonly after: string
  /** Shown instead of the difference, for a file that holds secrets. */
  readonly shownAs?: string
}

/** An edit that the app's author makes: one line that names it, and below it the lines to paste. */
export type Note = string

export interface Plan {
  readonly edits: readonly Edit[]
  readonly notes: readonly Note[]
}

export const NOTHING: Plan = { edits: [], notes: [] }

export function leftToAuthor(path: string, task: string, lines: readonly string[]): Note {
  return [`${path}: ${task}`, ...lines.map((line) => `    ${line}`)].join("\n")
}

/** A plan that changes nothing and leaves the edit to the author. */
export function onlyNote(path: string, task: string, lines: readonly string[]): Plan {
  return { edits: [], notes: [leftToAuthor(path, task, lines)] }
}

/** A new file, in the style of the app. */
export function newFile({ style }: AppFiles, path: string, code: string): Plan {
  return { edits: [{ path, before: undefined, after: restyled(code, style) }], notes: [] }
}

export function joined(plans: readonly Plan[]): Plan {
  return { edits: plans.flatMap(({ edits }) => edits), notes: plans.flatMap(({ notes }) => notes) }
}
