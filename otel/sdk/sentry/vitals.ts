import type { Attributes } from "@opentelemetry/api"
import type { Client } from "@sentry/core"
import type { SamplingContext } from "./sampling-context.ts"
import { isVital, SEGMENT_NAME } from "./span-facts.ts"
import type { Measurements, Transaction } from "./transaction-payload.ts"

interface NamedAttributes {
  readonly description: string
  readonly data: Attributes
}

const VALUE_ATTRIBUTE = /^browser\.web_vital\.([a-z_]{1,32})\.value$/

/**
 * Sentry's measurements of a page, from OpenTelemetry's web vital conventions. A vital is a numeric attribute
 * `browser.web_vital.<name>.value` of the root or of a child called `browser.web_vital.<name>`. A child takes precedence over
 * the root, and a later child over an earlier one, because later values are closer to final.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/ (`measurements`)
 */
export function measurements(root: Attributes, children: readonly NamedAttributes[]): Measurements | undefined {
  let found: Record<string, { value: number; unit: string }> | undefined
  const vitals = children.filter(({ description }) => isVital({ name: description }))
  for (const attributes of [root, ...vitals.map(({ data }) => data)]) {
    for (const [key, value] of Object.entries(attributes)) {
      const name = VALUE_ATTRIBUTE.exec(key)?.[1]
      if (name === undefined || typeof value !== "number" || !Number.isFinite(value)) continue
      // Cumulative layout shift is a score; every other vital is a time.
      found = { ...found, [name]: { value, unit: name === "cls" ? "" : "millisecond" } }
    }
  }
  return found
}

/** Milliseconds for which late spans are batched: the delay of Sentry's own span buffer after a root has ended. */
const BATCH_MS = 500
/** Most spans of one envelope. One click may start a hundred requests, which must not become a hundred envelopes. */
const BATCH_LIMIT = 100

type Send = (spans: readonly Transaction[], samplingContext: SamplingContext) => void

/** Batches late spans, one trace at a time. */
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
    if (this.#waiting.length >= BATCH_LIMIT) return this.flush()
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length > 0) this.#send(this.#waiting.splice(0), this.#samplingContext)
  }
}

/** The unspecified address. Sentry accepts no text that is no address. */
const NO_ADDRESS = "0.0.0.0"

/**
 * Sends late spans as Sentry's own SDK sends an interaction: each as an item of the first span protocol that names its root.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/spans/span-envelope/
 */
export function sendLateSpans(client: Client, spans: readonly Transaction[], samplingContext: SamplingContext): void {
  const header = { sent_at: new Date().toISOString(), trace: samplingContext }
  const items = spans.map((span) => [{ type: "span" }, lateSpan(client, span)])
  // The types differ between versions of Sentry's SDK; the envelope does not.
  const envelope = [header, items] as unknown as Parameters<Client["sendEnvelope"]>[0]
  // The transport counts what it fails to send.
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
      // Otherwise Sentry takes that of the request for the visitor's: for spans alone it has no setting (`infer_ip`).
      "client.address": NO_ADDRESS,
      ...data,
      transaction: data[SEGMENT_NAME],
      release,
      environment,
      "service.name": contexts.otel.resource["service.name"],
      // Sentry scores vitals by browser.
      "user_agent.original": request?.headers?.["User-Agent"],
    },
  }
}
