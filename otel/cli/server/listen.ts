import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { CLOSE_GRACE_MS } from "../../protocol/limits.ts"
import { StartError } from "./start-error.ts"

const IPV4_LOOPBACK = "127.0.0.1"
const IPV6_LOOPBACK = "::1"
/** How long clients may take, in milliseconds. */
export interface Patience {
  /** For its request line and headers. Its body has a deadline of its own where it is read. */
  readonly headersMs: number
  /** For a whole request, whatever becomes of it. */
  readonly requestMs: number
  /** How often it is looked who has taken longer. */
  readonly lookMs: number
}

/** With the look in between, nobody holds a socket with half a request for more than 30 s. */
const PATIENCE: Patience = { headersMs: 20_000, requestMs: 60_000, lookMs: 5_000 }

/** Open handlers: one server, or two where loopback has both address families. */
export interface Listening {
  readonly port: number
  /** Takes no new connection and ends those that are idle; resolves when the last one has ended, after a grace by force. */
  close(): Promise<void>
}

/**
 * Listens on the address. `localhost` is either loopback address, as the resolver likes, so both are served where one
 * is asked for and the other is free.
 *
 * @throws {StartError} when the port is taken or the address is not this machine's.
 */
export async function listen(
  host: string,
  port: number,
  listener: RequestListener,
  patience: Patience = PATIENCE,
): Promise<Listening> {
  const address = host === "localhost" ? IPV4_LOOPBACK : host
  const first = await open(address, port, listener, patience).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(describe(error, host, port))
  })
  const boundPort = (first.server.address() as AddressInfo).port
  // A machine without IPv6, or with another program on that side, is served by the first server alone.
  const second =
    address === IPV4_LOOPBACK
      ? await open(IPV6_LOOPBACK, boundPort, listener, patience).catch(() => undefined)
      : undefined
  const servers = second === undefined ? [first] : [first, second]
  return { port: boundPort, close: async () => void (await Promise.all(servers.map(close))) }
}

/** A server with all its sockets, also those of which it knows nothing any more because they left HTTP. */
interface Opened {
  readonly server: Server
  readonly sockets: ReadonlySet<Socket>
}

/**
 * The server has no `upgrade` listener, and nobody may add one: Node then ignores an `Upgrade` header, as RFC 9110 allows,
 * and what has one is a request like any other, which passes all guards.
 */
function open(host: string, port: number, listener: RequestListener, patience: Patience): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const server = createServer(
      {
        headersTimeout: patience.headersMs,
        requestTimeout: patience.requestMs,
        connectionsCheckingInterval: patience.lookMs,
      },
      listener,
    )
    const sockets = new Set<Socket>()
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    })
    server.once("error", reject)
    server.listen(port, host, () => resolve({ server, sockets }))
  })
}

function close({ server, sockets }: Opened): Promise<void> {
  return new Promise((resolve) => {
    // An open screen asks for its live feed again and again over the connection that it has, which so is never idle.
    const force = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_GRACE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function describe({ code }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") return `PORT is ${port}, which is taken on ${host}: stop what listens there or set PORT`
  if (code === "EACCES") return `PORT is ${port}, which this user may not listen on: set PORT to 1024 or more`
  return `HOST is ${JSON.stringify(host)}, which cannot be listened on (${code})`
}
