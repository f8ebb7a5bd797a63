import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { DropCategory, DropReason } from "../../protocol/records/drop.ts"
import { defaultTransactionFilters, type Filters, type TransactionFacts } from "../filters.ts"
import { safely } from "../../protocol/safely.ts"
import { droppingFilter, type FilterFailed } from "./apply-filters.ts"
import { httpStatusCode, SEGMENT_NAME } from "./span-facts.ts"
import type { SpanMapping } from "./span-mapping.ts"
import type { Transaction, TransactionRequest } from "./transaction-payload.ts"
import { assembleTransaction } from "./transaction.ts"

/** Receives finished roots, in a page or on a server. */
export interface TransactionSink {
  readonly side: "page" | "server"
  filters(): Partial<Filters>
  readonly filterFailed: FilterFailed
  deliver(transaction: Transaction): void
  /** Counts records that are not delivered. `sample` describes one of them. */
  drop(reason: DropReason, category: DropCategory, count: number, sample: string): void
  newEventId(): string
  /** How the op and the status of a span are derived. */
  readonly mapping: SpanMapping
  /** The request that a root handled, on a server. */
  requestOf?(root: ReadableSpan): TransactionRequest | undefined
}

/**
 * Delivers a finished root with its children, unless a filter drops it. Never throws: it runs in the app's call to
 * `span.end()`.
 *
 * @param cut number of children that exceeded a limit and are not in `children`.
 */
export function emitTransaction(
  sink: TransactionSink,
  root: ReadableSpan,
  children: readonly ReadableSpan[],
  cut: number,
): void {
  const facts = factsOf(sink.side, root)
  const { transactions = defaultTransactionFilters } = sink.filters()
  const filter = droppingFilter(transactions, facts, sink.filterFailed)
  if (filter !== undefined) {
    const sample = `${filter.name}: ${root.name}`
    if (!(SEGMENT_NAME in root.attributes)) sink.drop(filter.reason, "transaction", 1, sample)
    sink.drop(filter.reason, "span", children.length + cut + 1, sample)
    return
  }
  if (cut > 0) sink.drop("limit_spans", "span", cut, root.name)
  safely(
    () =>
      sink.deliver(
        assembleTransaction(root, children, {
          platform: sink.side === "page" ? "javascript" : "node",
          eventId: sink.newEventId(),
          mapping: sink.mapping,
          request: sink.requestOf?.(root),
        }),
      ),
    () => {
      sink.drop("internal_sdk_error", "transaction", 1, root.name)
      sink.drop("internal_sdk_error", "span", children.length + 1, root.name)
    },
  )
}

/** Filters see a late span as its root: the status of a late request is not the status of the page. */
function factsOf(side: TransactionFacts["side"], { name, attributes }: ReadableSpan): TransactionFacts {
  const { [SEGMENT_NAME]: segment, "http.route": route } = attributes
  return {
    side,
    name: String(segment ?? name),
    route: typeof route === "string" ? route : undefined,
    statusCode: segment === undefined ? httpStatusCode(attributes) : undefined,
  }
}
