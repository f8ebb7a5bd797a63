import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { createRouter, createSpotlightRouter } from "#otel/cli/server/router.ts"
import { listDropped } from "#otel/inspector/api/dropped.ts"
import { getIssue, listErrors } from "#otel/inspector/api/errors.ts"
import { getItem, listItems } from "#otel/inspector/api/items.ts"
import { getTrace, listTraces } from "#otel/inspector/api/traces.ts"
import { type ConfigInput, readConfig } from "#otel/inspector/config.ts"
import { createInspector, type Inspector } from "#otel/inspector/inspector.ts"
import { inspectorPrograms } from "#tests/support/inspector-programs.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"

/** All handlers on real ports with a real store, and the read API without a server. */
export interface RunningInspector {
  readonly inspector: Inspector
  readonly url: string
  readonly port: number
  /** The URL of Spotlight's own port. */
  readonly spotlightUrl: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests check the responses
  read(path: string): Promise<any>
  /** Downloads an envelope item as a file. */
  download(itemId: string): Promise<Response>
}

/** Waits until the store is ready. */
export async function startInspector(config: ConfigInput = {}): Promise<RunningInspector> {
  const running = await startHandlers(config)
  await running.inspector.store.ready()
  return running
}

/** Nothing listens on this port. */
const NO_STORE = "http://127.0.0.1:9"

/** Starts no store: what the handlers ingest stays in the journal. */
export function startWithoutStore(config: ConfigInput = {}): Promise<RunningInspector> {
  return startHandlers({ CLICKHOUSE_URL: NO_STORE, ...config })
}

async function startHandlers(config: ConfigInput): Promise<RunningInspector> {
  const directory = await temporaryDirectory()
  const settings = readConfig({ PAGESPAN_DATA: directory, PAGESPAN_SELF: "off", ...config })
  const inspector = createInspector(settings, await inspectorPrograms())
  onTestFinished(() => inspector.close())
  const app = await serve(createRouter(inspector, () => undefined))
  const spotlight = await serve(createSpotlightRouter(inspector, app.url))
  return {
    inspector,
    url: app.url,
    port: app.port,
    spotlightUrl: spotlight.url,
    read: (path) => read(inspector, path),
    download: (itemId) => getItem(inspector, requestFor(`/api/items/${itemId}`), itemId),
  }
}

async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly port: number }> {
  const server: Server = createServer(listener)
  // As `listen.ts` does.
  server.on("checkContinue", listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

function requestFor(path: string): Request {
  return new Request(`http://localhost${path}`, { headers: { host: "localhost" } })
}

async function read(inspector: Inspector, path: string) {
  const request = requestFor(path)
  const [, , list = "", id] = new URL(request.url).pathname.split("/")
  const lists = {
    traces: listTraces,
    errors: listErrors,
    dropped: listDropped,
    items: listItems,
  }
  const details = { traces: getTrace, errors: getIssue }
  const response =
    id === undefined
      ? await lists[list as keyof typeof lists](inspector, request)
      : await details[list as keyof typeof details](inspector, request, id)
  return response.ok ? response.json() : undefined
}
