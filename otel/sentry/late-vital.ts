import type { TransactionPayload } from "./transaction.ts"

/** Of a vital: name of the root that it belongs to, where it settled only after that root had gone. */
export const SEGMENT_NAME = "sentry.segment.name"
/** Of a span that is sent by itself: the root that it belongs to, so that it is taken for none. */
export const SEGMENT_ID = "sentry.segment.id"

/**
 * A vital that settled after its root had gone, as Sentry's own SDK sends an interaction: a span by itself, which names
 * the root that it belongs to.
 *
 * @returns `undefined` for one that its root has told already.
 */
export function lateVital(payload: TransactionPayload): TransactionPayload | undefined {
  const { trace } = payload.contexts
  const name = trace.data[SEGMENT_NAME]
  if (name === undefined || trace.parent_span_id === undefined) return undefined
  const data = { ...trace.data, [SEGMENT_ID]: trace.parent_span_id, "sentry.transaction": name }
  return { ...payload, contexts: { ...payload.contexts, trace: { ...trace, data } } }
}
