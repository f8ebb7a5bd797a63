import type { Client } from "@sentry/core"
import type { SamplingContext } from "./sampling-context.ts"
import type { Transaction } from "./transaction.ts"
import { SEGMENT_NAME } from "./vital.ts"

/** How long late spans wait to be sent together: Sentry's own buffer waits as long after a root has ended. */
const GATHER_MS = 500
/** Spans of one envelope: one click may set off a hundred requests, which must not make as many envelopes. */
const GATHER_LIMIT = 100

type Send = (spans: readonly Transaction[], samplingContext: SamplingContext) => void

/** Late spans that wait for a moment to be sent together, one trace at a time. */
export class LateSpans {
  readonly #send: Send
  #waiting: Transaction[] = []
  #samplingContext: SamplingContext = {}
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(send: Send) {
    this.#send = send
  }

  add(span: Transaction, samplingContext: SamplingContext): void {
    const [first] = this.#waiting
    if (first?.payload.contexts.trace.trace_id !== span.payload.contexts.trace.trace_id) this.flush()
    this.#waiting.push(span)
    this.#samplingContext = samplingContext
    if (this.#waiting.length >= GATHER_LIMIT) return this.flush()
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length > 0) this.#send(this.#waiting.splice(0), this.#samplingContext)
  }
}

/**
 * Sends late spans as Sentry's own SDK sends an interaction: each an item of the first span protocol, which names the
 * root that it belongs to.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-envelope/
 */
export function sendLateSpans(client: Client, spans: readonly Transaction[], samplingContext: SamplingContext): void {
  const header = { sent_at: new Date().toISOString(), trace: samplingContext }
  const items = spans.map((span) => [{ type: "span" }, lateSpan(client, span)])
  // The client's types differ between the versions of Sentry's SDK; what they describe does not.
  const envelope = [header, items] as unknown as Parameters<Client["sendEnvelope"]>[0]
  // What fails to be sent is counted by the transport.
  client.sendEnvelope(envelope).then(undefined, () => undefined)
}

function lateSpan(client: Client, { payload }: Transaction) {
  const { start_timestamp, timestamp, measurements, contexts, request } = payload
  const { data, parent_span_id, ...trace } = contexts.trace
  const { release, environment } = client.getOptions()
  return {
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
      transaction: data[SEGMENT_NAME],
      release,
      environment,
      // Scores of vitals depend on the browser.
      "user_agent.original": request?.headers?.["User-Agent"],
    },
  }
}
