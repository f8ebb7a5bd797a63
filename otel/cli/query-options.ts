import { AGE_OR_MOMENT, momentOrAge } from "../inspector/queries/list/time-range.ts"
import { type FilterTree, parseFilter, parseLogFilter, type Parsed, pointAtProblem } from "../inspector/search/index.ts"
import { CommandError, EXIT } from "./exit.ts"

/** The options that select records, `--since` and filters, checked before a request: an inspector ignores an invalid `since`. */

/** @throws {CommandError} that points at the part of the filter which cannot be parsed. */
export function requireFilter(text: string): FilterTree | undefined {
  return parsed(text, parseFilter(text))
}

/** The same, for a filter of logs. */
export function requireLogFilter(text: string): void {
  parsed(text, parseLogFilter(text))
}

/** @throws {CommandError} on a text that is neither an age nor a time. */
export function requireSince(text: string | undefined): string | undefined {
  if (text === undefined || momentOrAge(text, Date.now()) !== undefined) return text
  throw new CommandError(`--since is ${JSON.stringify(text)}, which is not ${AGE_OR_MOMENT}`, EXIT.usage)
}

function parsed<Tree>(text: string, { tree, problem }: Parsed<Tree>): Tree | undefined {
  if (problem === undefined) return tree
  throw new CommandError(pointAtProblem(text, problem), EXIT.usage)
}
