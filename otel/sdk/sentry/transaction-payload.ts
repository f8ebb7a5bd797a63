import type { Attributes } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/**
 * A finished root and its children as the payload of Sentry's transaction item. Ids stay the same; a child's times are
 * clamped to its root's. The payload has all children; `TransactionSender` applies the limit. It is not sanitized here: a
 * server's spans have passed `SanitizingSpanProcessor`, and a page's payload passes `sanitizePayload`.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/
 */
export interface TransactionPayload {
  readonly type: "transaction"
  readonly event_id: string
  readonly platform: "javascript" | "node"
  readonly transaction: string
  readonly transaction_info: { readonly source: TransactionSource }
  /** Seconds since the epoch, with a fraction. */
  readonly start_timestamp: number
  readonly timestamp: number
  readonly contexts: {
    readonly trace: TraceContext
    readonly otel: { readonly resource: Attributes }
    readonly response?: { readonly status_code: number }
  }
  readonly request?: TransactionRequest | undefined
  readonly measurements?: Measurements
  readonly spans: readonly ChildSpan[]
}

export type TransactionSource = "route" | "url" | "custom"

export interface TraceContext {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id?: string
  readonly op?: string
  readonly status: string
  readonly origin: string
  readonly data: Attributes
  readonly links?: readonly TraceLink[]
}

export interface TraceLink {
  readonly trace_id: string
  readonly span_id: string
  readonly sampled: boolean
  readonly attributes?: Attributes
}

export interface ChildSpan {
  readonly trace_id: string
  readonly span_id: string
  readonly parent_span_id?: string
  readonly op?: string
  readonly description: string
  readonly status: string
  readonly origin: string
  readonly start_timestamp: number
  readonly timestamp: number
  readonly data: Attributes
  readonly links?: readonly TraceLink[]
}

/** The request that a root handled, for Sentry. It has no query string, because sanitized attributes have none. */
export interface TransactionRequest {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Web vitals of a page, by name. The unit of a score is the empty string. */
export type Measurements = Readonly<Record<string, { readonly value: number; readonly unit: string }>>

/** A finished root with its payload. */
export interface Transaction {
  readonly root: ReadableSpan
  readonly payload: TransactionPayload
}
