import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { CLOSE_GRACE_MS } from "../../protocol/limits.ts"
import { StartError } from "./start-error.ts"

const IPV4_LOOPBACK = "127.0.0.1"
const IPV6_LOOPBACK = "::1"

/** How long a client may take, in milliseconds. */
export interface RequestTimeouts {
  /** To send the request line and headers. Reading the body has a timeout of its own. */
  readonly headersMs: number
  /** To send the whole request. */
  readonly requestMs: number
  /** The interval between checks of the two. */
  readonly checkIntervalMs: number
  /** Without a byte in either direction. The streams of a screen have a heartbeat every 15 s. */
  readonly idleMs: number
}

/**
 * With the interval between checks, no client holds a socket with part of its headers, or none of them, for more than 25 s.
 * One that does not read its response is disconnected after two minutes.
 */
const TIMEOUTS: RequestTimeouts = {
  headersMs: 20_000,
  requestMs: 60_000,
  checkIntervalMs: 5_000,
  idleMs: 120_000,
}

/** An open port: one server, or two on a loopback address with both IP versions. */
export interface Listening {
  readonly port: number
  /** Accepts no new connection and closes idle ones. Resolves when all are closed, by force after `CLOSE_GRACE_MS`. */
  close(): Promise<void>
}

/**
 * Listens on the address. `localhost` can resolve to either loopback address, so `localhost` and 127.0.0.1 listen on both
 * if the IPv6 port is free.
 *
 * @throws {StartError} when the port is taken or the address does not belong to this machine.
 */
export async function listen(
  host: string,
  port: number,
  listener: RequestListener,
  timeouts: RequestTimeouts = TIMEOUTS,
): Promise<Listening> {
  const address = host === "localhost" ? IPV4_LOOPBACK : host
  const first = await open(address, port, listener, timeouts).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(describe(error, host, port))
  })
  const boundPort = (first.server.address() as AddressInfo).port
  // Without IPv6, or with another program on the IPv6 port, the first server is enough.
  const second =
    address === IPV4_LOOPBACK
      ? await open(IPV6_LOOPBACK, boundPort, listener, timeouts).catch(() => undefined)
      : undefined
  const servers = second === undefined ? [first] : [first, second]
  return { port: boundPort, close: async () => void (await Promise.all(servers.map(close))) }
}

/** A server with all its sockets, including those that it no longer tracks because they left HTTP. */
interface Opened {
  readonly server: Server
  readonly sockets: ReadonlySet<Socket>
}

/**
 * The server has no `upgrade` listener, and must not get one: Node then ignores `Upgrade` headers, as RFC 9110 allows, and
 * handles such a request like any other, with all guards.
 */
function open(host: string, port: number, listener: RequestListener, timeouts: RequestTimeouts): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const server = createServer(
      {
        headersTimeout: timeouts.headersMs,
        requestTimeout: timeouts.requestMs,
        connectionsCheckingInterval: timeouts.checkIntervalMs,
      },
      listener,
    )
    server.setTimeout(timeouts.idleMs)
    // Without this listener, Node asks for every body before a guard has seen the request.
    server.on("checkContinue", listener)
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
    // An open screen keeps requesting its live feed over its connection, which is therefore never idle.
    const force = setTimeout(() => sockets.forEach((socket) => socket.destroy()), CLOSE_GRACE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function describe({ code }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE")
    return `PORT is ${port}, which is taken on ${host}: stop the program that listens there, or set PORT`
  if (code === "EACCES") return `PORT is ${port}, which this user may not listen on: set PORT to 1024 or higher`
  return `HOST is ${JSON.stringify(host)}, which this machine cannot listen on (${code}): set HOST to one of its addresses`
}
