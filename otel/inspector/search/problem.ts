import type { Place } from "./tokens.ts"

/** Why a filter cannot be read: one sentence, and the part of the text that it is about. */
export interface FilterProblem extends Place {
  readonly message: string
}

/** The problem in words, with the text and a mark below the part that it is about. */
export function pointAtProblem(text: string, { message, start, end }: FilterProblem): string {
  return `${message}\n  ${text}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`
}

/** Ends the reading of a filter from within. Callers of `parseFilter` never see it. */
export class Unreadable extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message)
  }
}
