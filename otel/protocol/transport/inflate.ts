import zlib from "node:zlib"
import { BODY_LIMIT_BYTES, INFLATE_RATIO_FREE_BYTES, INFLATE_RATIO_LIMIT } from "../limits.ts"
import type { BodyMemory } from "./read-body.ts"
import type { HandlerRequest } from "./request.ts"
import { quoteForMessage, type Refusal } from "./responses.ts"

/**
 * Inflates a body that is already bounded. 10 GB of zeros fit into 10 MB of gzip, so the bound holds while inflating:
 * the engine is stopped at the first chunk past `inflatedLimit`. Data after the end of the stream is refused, since it
 * would vanish without being counted.
 */

type Engine = zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress

/** Node has zstd from 22.15 and 23.8 on. */
const createZstd = (zlib as { createZstdDecompress?: () => Engine }).createZstdDecompress

const ENGINES: ReadonlyMap<string, () => Engine> = new Map([
  ["gzip", () => zlib.createGunzip({ chunkSize: 64 * 1024 })],
  ["deflate", () => zlib.createInflate({ chunkSize: 64 * 1024 })],
  ["br", () => zlib.createBrotliDecompress({ chunkSize: 64 * 1024 })],
  ...(createZstd === undefined ? [] : ([["zstd", () => createZstd()]] as const)),
])

export type Coding = { readonly ok: true; readonly open: (() => Engine) | undefined } | RefusedBody

export interface RefusedBody {
  readonly ok: false
  readonly refusal: Refusal
}

/** Which engine `Content-Encoding` asks for. Several codings on top of each other are refused before any is tried. */
export function contentCoding(request: HandlerRequest): Coding {
  const header = request.headers.get("content-encoding") ?? "identity"
  const name = header.trim().toLowerCase()
  if (name === "identity") return { ok: true, open: undefined }
  const open = ENGINES.get(name)
  if (open !== undefined) return { ok: true, open }
  const supported = [...ENGINES.keys()].join(", ")
  return refused({
    status: 415,
    reason: "bad_encoding",
    message: `The content encoding must be one of: identity, ${supported}.`,
    sample: `Content-Encoding ${quoteForMessage(header)}`,
    headers: { "accept-encoding": supported },
  })
}

/** At most the body limit; past 1 MiB also at most 100 times what was sent. */
function inflatedLimit(sentBytes: number): number {
  return Math.min(BODY_LIMIT_BYTES, Math.max(INFLATE_RATIO_FREE_BYTES, sentBytes * INFLATE_RATIO_LIMIT))
}

export type Inflated = { readonly ok: true; readonly bytes: Uint8Array } | RefusedBody

export async function inflate(sent: Uint8Array, open: () => Engine, memory: BodyMemory): Promise<Inflated> {
  const limit = inflatedLimit(sent.length)
  const engine = open()
  const chunks: Buffer[] = []
  let size = 0
  try {
    engine.end(sent)
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) return refused(tooLargeInflated(limit))
      if (!memory.reserve(chunk.length)) return refused(memory.refusal)
      chunks.push(chunk)
    }
    if (engine.bytesWritten !== sent.length) return refused(undecodable("has data after its end"))
    await memory.turns.next()
    return { ok: true, bytes: Buffer.concat(chunks, size) }
  } catch {
    // zlib throws for data that is not of its format or that ends early; which of the two does not matter.
    return refused(undecodable("is broken or ends early"))
  } finally {
    engine.destroy()
    memory.release(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  }
}

export function refused(refusal: Refusal): RefusedBody {
  return { ok: false, refusal }
}

function tooLargeInflated(limit: number): Refusal {
  return { status: 413, reason: "too_large", message: `The body inflates to more than the ${limit} bytes allowed.` }
}

function undecodable(what: string): Refusal {
  return { status: 400, reason: "bad_encoding", message: `The compressed body ${what}.` }
}
