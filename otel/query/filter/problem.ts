import type { Place } from "./tokens.ts"

/** Why a filter cannot be read: one sentence, and the part of the text that it is about. */
export interface FilterProblem extends Place {
  readonly message: string
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
