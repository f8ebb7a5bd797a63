import { ClickHouseError } from "@clickhouse/client"
import type { DropCategory } from "../../../protocol/records/drop.ts"
import { secret } from "../../../protocol/secret.ts"
import type { Endpoint } from "../clickhouse-backend.ts"
import { NoAnswer } from "../clickhouse.ts"
import { RecordsRefused } from "../failure.ts"
import type { InsertOrder } from "./insert-records.ts"

/** Messages between the writer and its thread: plain data, and one buffer instead of many, which transfers without a copy. */

export interface WriteMessage {
  readonly id: number
  readonly endpoint: { readonly url: string; readonly password: string | undefined; readonly embedded: boolean }
  /** All batches, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** End of each batch in `bytes`. */
  readonly ends: readonly number[]
  readonly order: Omit<InsertOrder, "batches">
}

export interface WrittenMessage {
  readonly id: number
  readonly failure: Failure | undefined
}

export type Failure =
  | { readonly kind: "refused"; readonly category: DropCategory; readonly count: number; readonly message: string }
  | { readonly kind: "no answer"; readonly message: string }
  | { readonly kind: "clickhouse"; readonly message: string; readonly code: string; readonly type: string | undefined }
  | { readonly kind: "other"; readonly message: string }

export function toMessage(id: number, { url, password, embedded }: Endpoint, order: InsertOrder): WriteMessage {
  const { batches, ...rest } = order
  const bytes = new Uint8Array(batches.reduce((sum, { length }) => sum + length, 0))
  const ends: number[] = []
  let end = 0
  for (const batch of batches) {
    bytes.set(batch, end)
    end += batch.length
    ends.push(end)
  }
  return { id, endpoint: { url: url.reveal(), password: password?.reveal(), embedded }, bytes, ends, order: rest }
}

export function orderOf({ bytes, ends, order }: WriteMessage): InsertOrder {
  return { ...order, batches: ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)) }
}

export function endpointOf({ endpoint: { url, password, embedded } }: WriteMessage): Endpoint {
  return { url: secret(url), embedded, ...(password !== undefined && { password: secret(password) }) }
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof RecordsRefused) {
    const { category, count, cause } = error
    return { kind: "refused", category, count, message: cause instanceof Error ? cause.message : message }
  }
  if (error instanceof NoAnswer) return { kind: "no answer", message }
  if (error instanceof ClickHouseError) return { kind: "clickhouse", message, code: error.code, type: error.type }
  return { kind: "other", message }
}

export function toError(failure: Failure): Error {
  const { kind, message } = failure
  switch (kind) {
    case "refused":
      return new RecordsRefused(failure.category, failure.count, { cause: new Error(message) })
    case "no answer":
      return new NoAnswer(message)
    case "clickhouse":
      return new ClickHouseError({ message, code: failure.code, ...(failure.type && { type: failure.type }) })
    case "other":
      return new Error(message)
  }
}
