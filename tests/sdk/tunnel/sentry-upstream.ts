import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

export async function recordingSentry(): Promise<RecordingSentry> {
  const sentry = await new RecordingSentry().listen()
  onTestFinished(() => sentry.close())
  return sentry
}

/** The DSN of a server with this behaviour. */
export async function upstream(answer: (response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer((request, response) => {
    request.resume()
    request.once("end", () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://publickey@127.0.0.1:${(server.address() as AddressInfo).port}/42`
}

/** A signal that aborts as that of `AbortSignal.timeout` does. */
export function deadlineOf(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), milliseconds)
  return controller.signal
}
