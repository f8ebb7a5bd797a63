import type { SamplingContext } from "../../sentry/sampling-context.ts"
import type { Transaction } from "../../sentry/transaction.ts"
import type { PageError } from "../errors/page-error.ts"

/** The Sentry client of a page, behind what the rest of the page's tracer needs of it. */
export interface PageSentry {
  captureTransaction(transaction: Transaction, samplingContext: SamplingContext): void
  captureError(error: PageError): void
  flush(): void
  /** Sends nothing any more. */
  stop(): void
}
