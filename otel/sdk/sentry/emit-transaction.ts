import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { DropCategory, DropReason } from "../../protocol/records/drop.ts"
import type { Filters, TransactionFacts } from "../filters.ts"
import { safely } from "../safely.ts"
import { droppingFilter, type FilterFailed } from "./apply-filters.ts"
import { httpStatusCode, SEGMENT_NAME } from "./span-facts.ts"
import type { SpanMapping } from "./span-mapping.ts"
import type { TransactionRequest } from "./transaction-sender.ts"
import { assembleTransaction, type Transaction } from "./transaction.ts"

/** Where finished roots go, on the side that they were made on. */
export interface TransactionSink {
  readonly side: "page" | "server"
  filters(): Filters
  readonly filterFailed: FilterFailed
  deliver(transaction: Transaction): void
  lost(reason: DropReason, category: DropCategory, count: number, sample: string): void
  newEventId(): string
  readonly words: SpanMapping
  /** The request that a root answered, on the side that answers requests. */
  requestOf?(root: ReadableSpan): TransactionRequest | undefined
}

/**
 * Delivers a finished root with its children, unless a filter drops it. Never throws: it runs where the app's own code ends a span.
 *
 * @param cut children that there was no room for.
 */
export function emitTransaction(
  outlet: TransactionSink,
  root: ReadableSpan,
  children: readonly ReadableSpan[],
  cut: number,
): void {
  const facts = factsOf(outlet.side, root)
  const filter = droppingFilter(outlet.filters().transactions, facts, outlet.filterFailed)
  if (filter !== undefined) {
    const sample = `${filter.name}: ${root.name}`
    if (!(SEGMENT_NAME in root.attributes)) outlet.lost(filter.reason, "transaction", 1, sample)
    outlet.lost(filter.reason, "span", children.length + cut + 1, sample)
    return
  }
  if (cut > 0) outlet.lost("limit_spans", "span", cut, root.name)
  safely(
    () =>
      outlet.deliver(
        assembleTransaction(root, children, {
          platform: outlet.side === "page" ? "javascript" : "node",
          eventId: outlet.newEventId(),
          words: outlet.words,
          request: outlet.requestOf?.(root),
        }),
      ),
    () => {
      outlet.lost("internal_sdk_error", "transaction", 1, root.name)
      outlet.lost("internal_sdk_error", "span", children.length + 1, root.name)
    },
  )
}

/** A late span is judged by the root that it belongs to: the status of a late request is not the page's. */
function factsOf(side: TransactionFacts["side"], { name, attributes }: ReadableSpan): TransactionFacts {
  const { [SEGMENT_NAME]: segment, "http.route": route } = attributes
  return {
    side,
    name: String(segment ?? name),
    route: typeof route === "string" ? route : undefined,
    statusCode: segment === undefined ? httpStatusCode(attributes) : undefined,
  }
}
