import type { LossReason } from "../model/loss.ts"

/** Why a request or its records are not taken: one value for the answer, the loss and the log. */
export interface Refusal {
  /** HTTP status. Clients of OTLP send again after 429 and 503 only; those of Sentry hold back after 429. */
  readonly status: 400 | 401 | 403 | 405 | 408 | 413 | 415 | 421 | 429 | 500 | 503
  readonly reason: LossReason
  /** For whoever configured the client. Holds nothing of the request's body, no path and no version. */
  readonly message: string
  /** What the losses page shows as example, where the message alone would not tell what to change. */
  readonly sample?: string
  /** Headers that the status asks for, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly retryAfterSeconds?: number
}

/** Text from outside as it may stand in a message: printable, and short. */
export function quoteForMessage(text: string): string {
  const printable = text.replaceAll(/[^\u0020-\u007e]/g, "?")
  return JSON.stringify(printable.length > 100 ? `${printable.slice(0, 100)}…` : printable)
}
