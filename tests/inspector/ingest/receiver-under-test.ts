import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { requestListener } from "#otel/cli/server/request-listener.ts"
import { createReceiver, type Receiver, type ReceiverOptions } from "#otel/inspector/ingest/receiver.ts"
import type { HandlerRequest } from "#otel/protocol/transport/request.ts"
import { MemorySink } from "./memory-sink.ts"

export interface ReceiverUnderTest {
  readonly receiver: Receiver
  readonly sink: MemorySink
  readonly journalDirectory: string
}

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "pagespan-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A receiver with its own journal. It inserts batches and flushes drops at once, so that tests need not wait. */
export async function startReceiver(options: Partial<ReceiverOptions> = {}): Promise<ReceiverUnderTest> {
  const sink = new MemorySink()
  const journalDirectory = options.journalDirectory ?? (await temporaryDirectory())
  const receiver = createReceiver({
    sink,
    storeState: () => (sink.isDown ? "down" : "ready"),
    journalDirectory,
    hosts: [],
    origins: [],
    token: undefined,
    batchMs: 1,
    dropFlushMs: 1,
    random: () => 0,
    drainLimitMs: 10_000,
    ...options,
  })
  onTestFinished(() => {
    // A close waits for a store that is down.
    sink.isDown = false
    return receiver.close()
  })
  return { receiver, sink, journalDirectory }
}

/** Serves the handler until the end of the test. Returns the URL of the server. */
export async function serve(handle: (request: HandlerRequest) => Promise<Response> | Response): Promise<string> {
  const server: Server = createServer(requestListener(handle))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A request as it reaches a handler, by default with the headers of an OTLP/JSON client. */
export function post(
  body: BodyInit | Uint8Array | undefined,
  headers: Record<string, string> = {},
  path = "/v1/traces",
): Request {
  return new Request(`http://localhost:4318${path}`, {
    method: "POST",
    headers: { host: "localhost:4318", "content-type": "application/json", ...headers },
    body: (body ?? null) as BodyInit | null,
    duplex: "half",
  } as RequestInit)
}
