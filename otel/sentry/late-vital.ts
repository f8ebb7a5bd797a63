import type { Client } from "@sentry/core"
import type { SamplingContext } from "./sampling-context.ts"
import type { TransactionPayload } from "./transaction.ts"
import { SEGMENT_NAME } from "./vital.ts"

/**
 * Sends a vital that settled after its root had gone, as Sentry's own SDK sends an interaction: a span by itself, which
 * names the root that it belongs to. One that its root has told already is not sent again.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-envelope/
 */
export function sendLateVital(client: Client, payload: TransactionPayload, samplingContext: SamplingContext): void {
  const { start_timestamp, timestamp, measurements, contexts, request } = payload
  const { data, parent_span_id, ...trace } = contexts.trace
  const segment = data[SEGMENT_NAME]
  if (segment === undefined) return
  const { release, environment } = client.getOptions()
  const span = {
    ...trace,
    parent_span_id,
    segment_id: parent_span_id,
    is_segment: false,
    description: payload.transaction,
    start_timestamp,
    timestamp,
    exclusive_time: (timestamp - start_timestamp) * 1e3,
    measurements,
    data: {
      ...data,
      transaction: segment,
      release,
      environment,
      // Scores of vitals depend on the browser.
      "user_agent.original": request?.headers?.["User-Agent"],
    },
  }
  const header = { sent_at: new Date().toISOString(), trace: samplingContext }
  // The client's types differ between the versions of Sentry's SDK; what they describe does not.
  const envelope = [header, [[{ type: "span" }, span]]] as unknown as Parameters<Client["sendEnvelope"]>[0]
  // What fails to be sent is counted by the transport.
  client.sendEnvelope(envelope).then(undefined, () => undefined)
}
