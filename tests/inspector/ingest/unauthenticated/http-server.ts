import { connect, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import { listen } from "#otel/cli/server/listen.ts"
import { requestListener } from "#otel/cli/server/request-listener.ts"
import { handlersFor, pathOf } from "#otel/cli/server/router.ts"
import { secret } from "#otel/protocol/secret.ts"
import { startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

export const TOKEN = "0123456789abcdef"

/** Short, so that no client stays for long. */
const TIMEOUTS = { headersMs: 1_000, requestMs: 2_000, checkIntervalMs: 100, idleMs: 2_000 }

/** The receiver behind the server of the inspector, with a token and without screens. */
export async function startServer() {
  const started = await startReceiver({ token: secret(TOKEN), bodyDeadlineMs: 500, heartbeatMs: 100 })
  const findHandler = handlersFor(started.receiver)
  const notFound = requestListener(() => new Response("Not found", { status: 404 }))
  const { port, close } = await listen(
    "127.0.0.1",
    0,
    (request, response) => (findHandler(pathOf(request)) ?? notFound)(request, response),
    TIMEOUTS,
  )
  onTestFinished(() => close())
  const isServed = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: "{}",
    })
    return answer.status === 200
  }
  return { ...started, port, isServed }
}

/** A socket that sends bytes, and the statuses of all responses that it gets. */
export function send(port: number, bytes: string | Uint8Array): { readonly socket: Socket; statuses(): number[] } {
  const socket = connect(port, "127.0.0.1")
  let received = ""
  socket.setEncoding("latin1")
  socket.on("data", (text: string) => (received += text))
  // The server ends most of these connections.
  socket.on("error", () => undefined)
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)
  return {
    socket,
    statuses: () => [...received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status)),
  }
}

/** Statuses that any request may have. Any other reports a failure of the server's own. */
export function isExpected(status: number): boolean {
  return status < 500 || status === 503 || status === 505
}
