import type { TraceOrder } from "#otel/inspector/queries/list/trace-reader.ts"

interface Column {
  readonly label: string
  /** What the list is ordered by where the column is chosen. */
  readonly by?: TraceOrder["by"]
  /** A class of the table's style sheet. */
  readonly style?: "services" | "duration" | "number" | "source" | "age"
}

export const COLUMNS: readonly Column[] = [
  { label: "Trace" },
  { label: "Services", style: "services" },
  { label: "Duration", by: "duration", style: "duration" },
  { label: "Spans", by: "spans", style: "number" },
  { label: "Errors", by: "errors", style: "number" },
  { label: "Source", style: "source" },
  { label: "Age", by: "time", style: "age" },
]
