/** The filter language for screens: how to read a filter and how to edit its text. */
export {
  completed,
  completingAt,
  type Completing,
  FIELDS,
  FILTER_LENGTH_LIMIT,
  type FilterProblem,
  hasTerm,
  parseFilter,
  quoteIfNeeded,
  termText,
  textWithoutInternal,
  toggleTerm,
  withoutInternal,
} from "../search/index.ts"
