/** The filter language for screens: how to read a filter and how to edit its text. */
export {
  completed,
  completingAt,
  type Completing,
  type Field,
  FIELDS,
  FILTER_LENGTH_LIMIT,
  type FilterProblem,
  hasTerm,
  LOG_FIELDS,
  parseFilter,
  parseLogFilter,
  quoteIfNeeded,
  termText,
  textWithoutInternal,
  toggleTerm,
  withoutInternal,
} from "../search/index.ts"
