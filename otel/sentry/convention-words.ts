import { spanOp } from "./span-op.ts"
import { spanStatus } from "./span-status.ts"
import type { SpanWords } from "./span-words.ts"

/** Read from semantic conventions, whoever made the span. */
export const conventionWords: SpanWords = {
  op: ({ attributes, kind }) => spanOp(attributes, kind),
  status: ({ status, attributes }) => spanStatus(status, attributes),
}
