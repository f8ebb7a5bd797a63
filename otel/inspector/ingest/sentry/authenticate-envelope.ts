import { INCOMPLETE, TOO_SLOW } from "../../../protocol/transport/collect-body.ts"
import { parseObject } from "../../../protocol/sentry/json.ts"
import {
  type BodyMemory,
  declaredCoding,
  type Engine,
  refused,
  type RefusedBody,
} from "../../../protocol/transport/read-body.ts"
import { type BodyRequest, bodySource, type BodySource } from "../../../protocol/transport/request.ts"
import type { Refusal } from "../../../protocol/transport/responses.ts"

/** Header line of an envelope before authentication. With ids, SDK and sampling context it takes less than 2 KiB. */
const HEADER_LINE_BYTES = 16 * 1024
const HEADER_DEADLINE_MS = 5_000
/** Encodings of Sentry's SDKs. The others inflate megabytes before their first byte comes out. */
const HEADER_CODINGS: ReadonlySet<string> = new Set(["identity", "gzip", "deflate"])
const NEWLINE = 0x0a

export interface Authentication {
  /** Shared by all bodies whose sender is not known yet. */
  readonly memory: BodyMemory
  /** The refusal for the DSN in the header line, `undefined` when it may pass. */
  readonly guard: (dsn: string | undefined) => Refusal | undefined
}

/**
 * Authenticates the sender of an envelope whose key is neither in the query nor in a header. Reads and inflates the
 * envelope's header line, at most 16 KiB of it within 5 s, and nothing after the chunk that ends it.
 *
 * @returns the request with its whole body, for a sender that the guard lets pass.
 */
export async function authenticateEnvelope(
  request: BodyRequest,
  { memory, guard }: Authentication,
): Promise<{ readonly ok: true; readonly request: BodyRequest } | RefusedBody> {
  const coding = declaredCoding(request)
  if (!coding.ok) return coding
  const unread = HEADER_CODINGS.has(coding.name) ? undefined : guard(undefined)
  if (unread !== undefined) return refused(unread)
  const line = new HeaderLine(memory, coding.open)
  const source = request.body === null ? undefined : bodySource(request.body)
  try {
    const refusal = (source && (await readLine(source, line))) ?? guard(line.dsn())
    if (refusal === undefined) return { ok: true, request: { headers: request.headers, body: resumed(line, source) } }
    source?.stop()
    return refused(refusal)
  } finally {
    line.close()
  }
}

async function readLine(source: BodySource, line: HeaderLine): Promise<Refusal | undefined> {
  let refusal: Refusal | undefined
  const deadline = setTimeout(() => {
    refusal = TOO_SLOW
    source.stop()
  }, HEADER_DEADLINE_MS)
  try {
    for (;;) {
      let chunk: Uint8Array | undefined
      await source.read((each) => {
        chunk = each
        return false
      })
      if (refusal !== undefined || chunk === undefined) return refusal
      refusal = await line.add(chunk)
      if (refusal !== undefined || line.isComplete) return refusal
    }
  } catch {
    // The connection broke. No client reads the response, but the refusal is counted.
    return refusal ?? INCOMPLETE
  } finally {
    clearTimeout(deadline)
  }
}

/** The first bytes of a body, as they were sent and as they inflate. */
class HeaderLine {
  /** As sent, for the reader of the whole body. */
  readonly chunks: Uint8Array[] = []
  #sent = 0
  #inflated: Buffer = Buffer.alloc(0)
  readonly #engine: Engine | undefined
  /** Resolves when the engine has failed or was destroyed: it then calls back no running write. */
  readonly #closed: Promise<void>
  #isBroken = false

  constructor(
    private readonly memory: BodyMemory,
    open: (() => Engine) | undefined,
  ) {
    this.#engine = open?.()
    this.#engine?.on("data", (part: Buffer) => this.#take(part))
    this.#engine?.on("error", () => (this.#isBroken = true))
    this.#closed = new Promise((resolve) => this.#engine?.once("close", resolve))
  }

  /** Whether further bytes would not change the DSN. */
  get isComplete(): boolean {
    return (
      this.#isBroken ||
      this.#sent >= HEADER_LINE_BYTES ||
      this.#inflated.length >= HEADER_LINE_BYTES ||
      this.#inflated.includes(NEWLINE)
    )
  }

  async add(chunk: Uint8Array): Promise<Refusal | undefined> {
    if (!this.memory.reserve(chunk.length)) return this.memory.refusal
    const part = chunk.subarray(0, HEADER_LINE_BYTES - this.#sent)
    this.#hold(chunk)
    if (this.#engine === undefined) this.#take(part)
    else await this.#inflate(this.#engine, part)
    return undefined
  }

  /** The DSN of the line; `undefined` until the line is complete and has one. */
  dsn(): string | undefined {
    const end = this.#inflated.indexOf(NEWLINE)
    const dsn = parseObject(this.#inflated.subarray(0, end === -1 ? undefined : end))?.["dsn"]
    return typeof dsn === "string" ? dsn : undefined
  }

  close(): void {
    this.#engine?.destroy()
    this.memory.release(this.#sent)
  }

  /** Resolves when everything that the bytes inflate to has been read. */
  #inflate(engine: Engine, part: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve) => engine.write(part, () => resolve()))
    return Promise.race([written, this.#closed])
  }

  /** Joins small chunks, each of which would take more memory than its bytes. */
  #hold(chunk: Uint8Array): void {
    this.#sent += chunk.length
    const last = this.chunks.at(-1)
    if (last === undefined || last.length + chunk.length > HEADER_LINE_BYTES) this.chunks.push(chunk)
    else this.chunks[this.chunks.length - 1] = Buffer.concat([last, chunk])
  }

  #take(part: Buffer | Uint8Array): void {
    this.#inflated = Buffer.concat([this.#inflated, part.subarray(0, HEADER_LINE_BYTES - this.#inflated.length)])
    // A few bytes may inflate to thousands of times as many.
    if (this.isComplete) this.#engine?.destroy()
  }
}

/** The body from its first byte: what the line holds, then the rest. */
function resumed({ chunks }: HeaderLine, rest: BodySource | undefined): BodySource {
  const waiting = [...chunks]
  return {
    async read(take) {
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) if (!take(chunk)) return
      await rest?.read(take)
    },
    stop: () => rest?.stop(),
  }
}
