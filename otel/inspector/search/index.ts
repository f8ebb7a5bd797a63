export {
  attributeKey,
  attributeText,
  completed,
  completingAt,
  type Completing,
  hasTerm,
  quoteIfNeeded,
  replaceField,
  termText,
  toggleTerm,
  withoutFields,
} from "./edit.ts"
export { type Field, FIELDS } from "./fields.ts"
export { LOG_FIELDS, type LogTree } from "./log-terms.ts"
export { matchesSpan } from "./match.ts"
export { asksFor, matchesSummary, matchesTrace, spanQuestions } from "./match.ts"
export { keysOf, misspelledFields, nearestName } from "./misspelled.ts"
export { FILTER_LENGTH_LIMIT, type Parsed, parseFilter, parseLogFilter } from "./parse.ts"
export { type FilterProblem, pointAtProblem } from "./tokens.ts"
export type { RunLookup } from "./terms.ts"
export type { FilterTree, SpanLeaf } from "./tree.ts"
export { withoutInternal } from "./edit.ts"
