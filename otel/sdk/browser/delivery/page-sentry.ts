import type { SamplingContext } from "../../sentry/sampling-context.ts"
import type { Transaction } from "../../sentry/transaction-payload.ts"
import type { PageError } from "../errors/page-error.ts"
import type { CountDrop } from "./page-drops.ts"

/** The Sentry client of a page, behind what the rest of the page's tracer needs of it. */
export interface PageSentry {
  captureTransaction(transaction: Transaction, samplingContext: SamplingContext): void
  captureError(error: PageError): void
  /** Puts what was lost outside of the client into the client's own reports. */
  readonly reportDrop: CountDrop
  flush(): void
  /** Sends nothing any more. */
  stop(): void
}
