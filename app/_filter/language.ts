import {
  type Field,
  FIELDS,
  type FilterProblem,
  LOG_FIELDS,
  parseFilter,
  parseLogFilter,
} from "#otel/inspector/queries/filters.ts"
import { SERVICE_WINDOW } from "#otel/inspector/queries/services/service-query.ts"
import type { ListPath } from "./list-address.ts"

/** The filter language of a screen. */
export interface Language {
  /** What it selects. */
  readonly selects: "traces" | "logs"
  readonly fields: readonly Field[]
  readonly placeholder: string
  /** The time range without a choice, such as `24h`; `undefined` for any time. */
  readonly window?: string
  /** What the read API counts for a suggested value. */
  readonly counted: "spans" | "logs"
  readonly parse: (text: string) => { readonly problem: FilterProblem | undefined }
}

export const LANGUAGES: Readonly<Record<ListPath, Language>> = {
  "/traces": {
    selects: "traces",
    fields: FIELDS,
    placeholder: "route:/cart duration>500ms status:error …",
    counted: "spans",
    parse: (text) => parseFilter(text),
  },
  "/services": {
    selects: "traces",
    fields: FIELDS,
    placeholder: "status:error release:2.1.0 route:/cart …",
    window: SERVICE_WINDOW,
    counted: "spans",
    parse: (text) => parseFilter(text),
  },
  "/logs": {
    selects: "logs",
    fields: LOG_FIELDS,
    placeholder: "severity>=warn service:web timeout …",
    counted: "logs",
    parse: parseLogFilter,
  },
}
