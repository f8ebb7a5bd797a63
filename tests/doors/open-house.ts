import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { createFront } from "#otel/command/front.ts"
import { createSpotlightFront } from "#otel/command/spotlight.ts"
import { createInspector, type Inspector } from "#otel/inspector/inspector.ts"
import { itemDoor, listItemsDoor } from "#otel/inspector/item-api.ts"
import { listTracesDoor } from "#otel/inspector/read-api.ts"
import { traceDoor } from "#otel/inspector/trace-api.ts"
import { issueDoor, listIssuesDoor } from "#otel/inspector/read-errors.ts"
import { listLossesDoor } from "#otel/inspector/read-losses.ts"
import { type ConfigInput, readConfig } from "#otel/inspector/config.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

/** All doors on real ports with a real store behind them, and the read API without a server in between. */
export interface OpenHouse {
  readonly inspector: Inspector
  readonly url: string
  readonly port: number
  /** Spotlight's own port. */
  readonly spotlightUrl: string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are what the tests are about
  read(path: string): Promise<any>
  /** The answer to who asks for an envelope item as a file. */
  download(itemId: string): Promise<Response>
}

export async function openHouse(config: ConfigInput = {}): Promise<OpenHouse> {
  const directory = await temporaryDirectory()
  const inspector = createInspector(readConfig({ PAGESPAN_DATA: directory, PAGESPAN_SELF: "off", ...config }))
  onTestFinished(() => inspector.close())
  const front = await serve(createFront(inspector, () => undefined))
  const spotlight = await serve(createSpotlightFront(inspector, front.url))
  await inspector.store.ready()
  return {
    inspector,
    url: front.url,
    port: front.port,
    spotlightUrl: spotlight.url,
    read: (path) => read(inspector, path),
    download: (itemId) => itemDoor(inspector, asking(`/api/items/${itemId}`), itemId),
  }
}

async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly port: number }> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

function asking(path: string): Request {
  return new Request(`http://localhost${path}`, { headers: { host: "localhost" } })
}

async function read(inspector: Inspector, path: string) {
  const request = asking(path)
  const [, , list = "", id] = new URL(request.url).pathname.split("/")
  const lists = { traces: listTracesDoor, errors: listIssuesDoor, losses: listLossesDoor, items: listItemsDoor }
  const details = { traces: traceDoor, errors: issueDoor }
  const response =
    id === undefined
      ? await lists[list as keyof typeof lists](inspector, request)
      : await details[list as keyof typeof details](inspector, request, id)
  return response.ok ? response.json() : undefined
}
