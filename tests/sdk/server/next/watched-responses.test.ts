import { ROOT_CONTEXT } from "@opentelemetry/api"
import type { Span } from "@opentelemetry/sdk-trace-base"
import { EventEmitter, once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { AbandonedResponses, watchResponses, withResponse } from "#otel/sdk/server/next/abandoned-responses.ts"

/** The request's own span, and that of `proxy.ts` before it. */
const REQUEST = { attributes: { "next.span_type": "BaseServer.handleRequest" } } as unknown as Span

async function answer(prepare: (response: ServerResponse) => void): Promise<readonly Error[]> {
  const warnings: Error[] = []
  const keep = (warning: Error) => void warnings.push(warning)
  process.on("warning", keep)
  onTestFinished(() => void process.off("warning", keep))
  const server = createServer((request, response) => {
    prepare(response)
    const context = withResponse(ROOT_CONTEXT, request.headers)
    const processor = new AbandonedResponses()
    for (let count = 0; count < 2; count++) processor.onStart(REQUEST, context)
    for (let count = 0; count < EventEmitter.defaultMaxListeners; count++) response.once("close", () => {})
    response.end("done")
  }).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("done")
  return warnings
}

watchResponses()

test("as many listeners on a response as Node allows warn of no leak, since Pagespan's own do not count", async () => {
  expect(await answer(() => {})).toEqual([])
})

test("the listeners of a response without a limit stay without one", async () => {
  let response: ServerResponse | undefined
  await answer((answered) => (response = answered.setMaxListeners(0)))
  expect(response?.getMaxListeners()).toBe(0)
})
