import { type RecordedRequest, RecordingServer } from "./recording-server.ts"
import { waitFor } from "./wait-for.ts"

export interface EnvelopeItem {
  readonly header: { readonly type: string; readonly [key: string]: unknown }
  readonly payload: Payload
}

/** Untyped, since each test reads other fields. */
export type Payload = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

export interface Envelope {
  readonly header: Payload
  readonly items: readonly EnvelopeItem[]
}

/** Replaces Sentry's ingest endpoint and records every envelope. */
export class RecordingSentry extends RecordingServer {
  readonly key = "publickey"
  readonly #envelopes = new WeakMap<RecordedRequest, Envelope>()

  get dsn(): string {
    return `http://${this.key}@127.0.0.1:${this.port}/42`
  }

  envelopes(): Envelope[] {
    return this.requests
      .filter((request) => request.path.startsWith("/api/42/envelope/"))
      .map((request) => this.#parsed(request))
  }

  /** `waitFor` reads the envelopes often, so each request is parsed once. */
  #parsed(request: RecordedRequest): Envelope {
    const envelope = this.#envelopes.get(request) ?? parseEnvelope(request.body)
    this.#envelopes.set(request, envelope)
    return envelope
  }

  items(type: string): { envelope: Envelope; payload: Payload }[] {
    return this.envelopes().flatMap((envelope) =>
      envelope.items.filter(({ header }) => header.type === type).map(({ payload }) => ({ envelope, payload })),
    )
  }

  transactions(): Payload[] {
    return this.items("transaction").map(({ payload }) => payload)
  }

  errors(): Payload[] {
    return this.items("event").map(({ payload }) => payload)
  }

  waitForTransaction(what: string, matches: (transaction: Payload) => boolean, limitMs?: number): Promise<Payload> {
    return waitFor(`transaction ${what}`, () => this.transactions().find(matches), limitMs)
  }

  waitForError(what: string, matches: (event: Payload) => boolean, limitMs?: number): Promise<Payload> {
    return waitFor(`error ${what}`, () => this.errors().find(matches), limitMs)
  }
}

/** Items that are no JSON. */
const BINARY = new Set(["attachment", "replay_recording"])

/** @see https://develop.sentry.dev/sdk/data-model/envelopes/ */
function parseEnvelope(body: Buffer): Envelope {
  let rest = body
  const take = (length: number) => {
    const taken = rest.subarray(0, length)
    // And the line end after it.
    rest = rest.subarray(length + 1)
    return taken.toString("utf8")
  }
  const line = () => take(rest.includes("\n") ? rest.indexOf("\n") : rest.length)
  const header = JSON.parse(line()) as Payload
  const items: EnvelopeItem[] = []
  while (rest.length > 0) {
    const text = line()
    if (text === "") continue
    const itemHeader = JSON.parse(text) as EnvelopeItem["header"]
    const { length } = itemHeader as { length?: number }
    const payload = length === undefined ? line() : take(length)
    items.push({ header: itemHeader, payload: BINARY.has(itemHeader.type) ? {} : (JSON.parse(payload) as Payload) })
  }
  return { header, items }
}
