/** A file as it is and as it is to be. */
export interface Edit {
  /** Relative to the app. */
  readonly path: string
  /** `undefined` where there is no such file yet. */
  readonly before: string | undefined
  readonly after: string
}

/** What `init` found that it leaves to a person, in one line. */
export type Note = string

export interface Plan {
  readonly edits: readonly Edit[]
  readonly notes: readonly Note[]
}

/** An insertion into, or a replacement of, a part of a text. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Places are those of the original text, so that all of it keeps its own form but for the changes. */
export function applyChanges(text: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: inserted }) => result.slice(0, start) + inserted + result.slice(end), text)
}
