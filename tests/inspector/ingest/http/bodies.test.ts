import { once } from "node:events"
import { request as httpRequest } from "node:http"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { BODY_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import { BodyMemory, readBody } from "#otel/protocol/transport/read-body.ts"
import { post, serve, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const MIB = 1024 * 1024

function read(request: Request, memory = new BodyMemory(), deadlineMs?: number) {
  return readBody(request, { memory, deadlineMs })
}

/** A body of the given size in chunks, which counts how many bytes were read. */
function chunked(bytes: number, chunkBytes = MIB) {
  const progress = { sent: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = new Uint8Array(Math.min(chunkBytes, bytes - progress.sent))
        if (chunk.length === 0) return controller.close()
        progress.sent += chunk.length
        return controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  return { body, progress }
}

function honest(bytes: number) {
  return { "content-length": String(bytes) }
}

describe("the limit of a body does not depend on its length header", () => {
  test.each([
    ["one below", BODY_LIMIT_BYTES - 1, honest(BODY_LIMIT_BYTES - 1), true],
    ["at the limit", BODY_LIMIT_BYTES, honest(BODY_LIMIT_BYTES), true],
    ["one above", BODY_LIMIT_BYTES + 1, honest(BODY_LIMIT_BYTES + 1), false],
    ["at the limit, no length", BODY_LIMIT_BYTES, {}, true],
    ["one above, no length", BODY_LIMIT_BYTES + 1, {}, false],
    ["one above, with too small a length", BODY_LIMIT_BYTES + 1, honest(10), false],
    ["small, with too large a length", 10, honest(BODY_LIMIT_BYTES + 1), false],
    ["300 MiB, no length", 300 * MIB, {}, false],
    ["300 MiB, an invalid length", 300 * MIB, { "content-length": "many" }, false],
  ] as const)("%s", async (_name, bytes, headers, isRead) => {
    const memory = new BodyMemory()
    const { body, progress } = chunked(bytes)
    const result = await read(post(body, headers), memory)
    expect(result).toMatchObject(
      isRead ? { ok: true, bytes: { length: bytes } } : { ok: false, refusal: { status: 413, reason: "too_large" } },
    )
    expect(progress.sent).toBeLessThanOrEqual(BODY_LIMIT_BYTES + MIB)
    expect(memory.reserved).toBe(0)
  })

  test("a body whose length header exceeds the limit is not read at all", async () => {
    const { body, progress } = chunked(30 * MIB)
    await read(post(body, honest(30 * MIB)))
    expect(progress.sent).toBe(0)
  })

  test("of many concurrent large bodies, those that do not fit into memory are answered 503 with a time to retry", async () => {
    const memory = new BodyMemory()
    const results = await Promise.all(Array.from({ length: 20 }, () => read(post(chunked(15 * MIB).body), memory)))
    const refusals = results.flatMap((result) => (result.ok ? [] : [result.refusal]))
    expect(refusals.length).toBeGreaterThanOrEqual(18)
    expect(new Set(refusals.map(({ status }) => status))).toStrictEqual(new Set([503]))
    expect(refusals[0]).toMatchObject({ reason: "queue_overflow", retryAfterSeconds: 1 })
    expect(memory.reserved).toBe(0)
    expect(await read(post(chunked(15 * MIB).body), memory)).toMatchObject({ ok: true })
  })
})

/** A body that sends so many bytes, then nothing more and no end. */
function stalling(bytes: number, chunks = 1) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (let count = 0; count < chunks; count += 1) controller.enqueue(new Uint8Array(bytes / chunks))
    },
  })
}

describe("bodies in memory leave room for others", () => {
  test("those past 1 MiB may fill 40 MiB, and 8 MiB are reserved for smaller ones", () => {
    const memory = new BodyMemory()
    const fill = (held: number) => {
      let count = 0
      while (memory.reserve(MIB, held)) count += 1
      return count
    }
    expect([fill(MIB), fill(0), fill(MIB)]).toStrictEqual([40, 8, 0])
  })

  test("two of the largest that stall do not shut out a small one", async () => {
    const memory = new BodyMemory()
    for (const body of [stalling(20 * MIB, 20), stalling(20 * MIB, 20)]) void read(post(body), memory)
    await expect.poll(() => memory.reserved).toBe(40 * MIB)
    expect(await read(post(chunked(MIB).body), memory)).toMatchObject({ ok: true })
  })

  test.each([
    ["65 KiB", 65 * 1024, 10_000],
    ["64 KiB", 64 * 1024, 30_000],
  ])("one that stalls with %s in memory is ended at its deadline", async (_name, bytes, endsAtMs) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
    onTestFinished(() => void vi.useRealTimers())
    const memory = new BodyMemory()
    const reading = read(post(stalling(bytes)), memory)
    await vi.advanceTimersByTimeAsync(endsAtMs - 100)
    expect(memory.reserved).toBe(bytes)
    await vi.advanceTimersByTimeAsync(200)
    expect(memory.reserved).toBe(0)
    expect(await reading).toMatchObject({ ok: false, refusal: { status: 408, reason: "network_error" } })
  })
})

describe("the limit holds while a body inflates", () => {
  const plain = Buffer.from('{"resourceSpans":[]}')
  test.each([
    ["gzip", gzipSync(plain)],
    ["GZIP", gzipSync(plain)],
    [" gzip ", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["identity", plain],
    // An empty list of codings, which Sentry's SDK for Ruby sends.
    ["", plain],
    ["gzip", Buffer.concat([gzipSync(plain.subarray(0, 5)), gzipSync(plain.subarray(5))])],
  ])("%j is read", async (coding, body) => {
    const result = await read(post(body, { "content-encoding": coding }))
    expect(result.ok && Buffer.from(result.bytes).toString()).toBe(plain.toString())
  })

  test.each([
    "brotli",
    "zlib",
    "snappy",
    "lz4",
    "compress",
    "gzip, gzip",
    "gzip,deflate",
    "identity, gzip",
    "identity;q=0",
    "gzip;q=1",
    "gzip gzip",
    "*",
    ",",
  ])("%j is refused without inflating anything", async (coding) => {
    const { body, progress } = chunked(10)
    const result = await read(post(body, { "content-encoding": coding }))
    expect(result).toMatchObject({
      ok: false,
      refusal: {
        status: 415,
        reason: "bad_encoding",
        headers: { "accept-encoding": expect.stringMatching(/^gzip, deflate/) },
      },
    })
    expect(progress.sent).toBe(0)
  })

  const sound = gzipSync(Buffer.alloc(100_000, "some text of no interest "))
  test.each([
    ["trailing junk", "gzip", Buffer.concat([sound, Buffer.from("junk")])],
    ["a single byte too many", "gzip", Buffer.concat([sound, Buffer.from([0])])],
    ["cut short by a byte", "gzip", sound.subarray(0, -1)],
    ["cut in half", "gzip", sound.subarray(0, sound.length / 2)],
    ["nothing at all", "gzip", Buffer.alloc(0)],
    ["only a header", "gzip", sound.subarray(0, 10)],
    ["a flipped checksum", "gzip", Buffer.from(sound).fill(0, sound.length - 8, sound.length - 4)],
    ["another format", "gzip", deflateSync(plain)],
    ["no header", "deflate", deflateRawSync(plain)],
    ["trailing junk", "deflate", Buffer.concat([deflateSync(plain), Buffer.from("junk")])],
    ["not compressed", "deflate", plain],
  ])("%s in %s answers 400", async (_name, coding, body) => {
    const memory = new BodyMemory()
    const result = await read(post(body, { "content-encoding": coding }), memory)
    expect(result).toMatchObject({ ok: false, refusal: { status: 400, reason: "bad_encoding" } })
    expect(memory.reserved).toBe(0)
  })

  test("a body of 1 MB that inflates to 1 GiB is stopped at the limit, without the memory", async () => {
    // 64 members of 16 MiB each. A gzip stream may contain many.
    const bomb = Buffer.concat(Array.from({ length: 64 }, () => gzipSync(Buffer.alloc(16 * MIB))))
    const memory = new BodyMemory()
    const before = process.memoryUsage().rss
    const result = await read(post(bomb, { "content-encoding": "gzip" }), memory)
    expect(result).toMatchObject({ ok: false, refusal: { status: 413, reason: "too_large" } })
    expect(process.memoryUsage().rss - before).toBeLessThan(96 * MIB)
    expect(memory.reserved).toBe(0)
  })

  test.each([
    ["the ratio does not apply up to 1 MiB", MIB, true],
    ["the ratio applies to a byte more", MIB + 1, false],
  ])("%s", async (_name, bytes, isRead) => {
    const body = gzipSync(Buffer.alloc(bytes))
    expect(body.length * 100).toBeLessThan(bytes)
    const result = await read(post(body, { "content-encoding": "gzip" }))
    expect(result.ok).toBe(isRead)
  })

  test("a bomb within a bomb is inflated once", async () => {
    const inner = gzipSync(gzipSync(Buffer.alloc(16 * MIB)))
    const result = await read(post(gzipSync(inner), { "content-encoding": "gzip" }))
    expect(result.ok && Buffer.from(result.bytes).equals(inner)).toBe(true)
  })
})

describe("over HTTP", () => {
  test("a body that does not arrive in time is answered 408, and counted", async () => {
    const { receiver } = await startReceiver({ bodyDeadlineMs: 50 })
    const url = await serve(receiver.traces)
    const request = httpRequest(`${url}/v1/traces`, { method: "POST", headers: { "content-type": "application/json" } })
    request.write("{")
    const [response] = await once(request, "response")
    expect(response.statusCode).toBe(408)
    expect(response.headers.connection).toBe("close")
    request.on("error", () => undefined)
    request.destroy()
    expect(receiver.drops.totals()).toStrictEqual({ network_error: 1 })
  })

  test("a client that disconnects in the middle of a body leaves nothing in memory", async () => {
    const { receiver } = await startReceiver()
    let answered: ((status: number) => void) | undefined
    const status = new Promise<number>((resolve) => (answered = resolve))
    const url = await serve(async (request) => {
      const response = await receiver.traces(request)
      answered?.(response.status)
      return response
    })
    const request = httpRequest(url, { method: "POST", headers: { "content-type": "application/json" } })
    request.on("error", () => undefined)
    request.write("{", () => request.destroy())
    expect(await status).toBe(400)
    expect(receiver.bodies.reserved).toBe(0)
    expect(receiver.drops.totals()).toStrictEqual({ network_error: 1 })
  })

  test("an endless chunked body is answered 413 while the client still sends it", async () => {
    const { receiver } = await startReceiver()
    const url = await serve(receiver.traces)
    const request = httpRequest(url, { method: "POST", headers: { "content-type": "application/json" } })
    request.on("error", () => undefined)
    const chunk = Buffer.alloc(MIB, 0x20)
    const pump = () => {
      while (!request.destroyed && request.write(chunk));
      request.once("drain", pump)
    }
    pump()
    const [response] = await once(request, "response")
    expect(response.statusCode).toBe(413)
    request.destroy()
  })
})

test("a body in chunks of a byte is held in a few blocks", async () => {
  const bytes = 300_000
  const concat = vi.spyOn(Buffer, "concat")
  onTestFinished(() => concat.mockRestore())
  const body = await read(streamed(chunked(bytes, 1).body))
  expect(body).toMatchObject({ ok: true, bytes: Buffer.alloc(bytes) })
  expect(concat.mock.lastCall?.[0].length).toBeLessThan(10)
})

test("a body in chunks of any sizes arrives whole", async () => {
  const chunks = [3, 5_000, 1, 4_095, 4_096, 70_000, 2, 1_000, 4_000, 63_000].map((size, index) =>
    new Uint8Array(size).fill(index + 1),
  )
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const body = await read(streamed(stream))
  expect(body).toMatchObject({ ok: true, bytes: Buffer.concat(chunks) })
})

function streamed(body: ReadableStream): Request {
  return new Request("http://localhost/v1/traces", { method: "POST", body, duplex: "half" } as RequestInit)
}
