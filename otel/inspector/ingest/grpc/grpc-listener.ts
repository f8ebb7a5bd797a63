import { type AddressInfo, createServer, type Socket } from "node:net"
import { type Server, ServerCredentials } from "@grpc/grpc-js"
import { CLOSE_GRACE_MS } from "../../../protocol/limits.ts"

export interface GrpcListening {
  readonly port: number
  /** Accepts no new call. Resolves when all connections have ended; ends them by force after `CLOSE_GRACE_MS`. */
  close(): Promise<void>
}

/**
 * Listens for the server, and tracks its sockets. The library ends its side of a connection, and then waits for the client
 * to end the other one: a client that never reads would hold its socket for ever.
 *
 * @param idleMs a socket from which nothing arrives for this long, or at most twice as long, is destroyed.
 * @throws {Error} when it cannot listen on the port.
 */
export function listenForGrpc(server: Server, host: string, port: number, idleMs: number): Promise<GrpcListening> {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  /** Each socket with the number of bytes that it had received at the last check. */
  const sockets = new Map<Socket, number>()
  const acceptor = createServer({ noDelay: true }, (socket) => {
    sockets.set(socket, -1)
    socket.once("close", () => sockets.delete(socket))
    injector.injectConnection(socket)
  })
  const check = setInterval(() => {
    for (const [socket, before] of sockets)
      if (socket.bytesRead === before) socket.destroy()
      else sockets.set(socket, socket.bytesRead)
  }, idleMs)
  check.unref()
  const close = () =>
    new Promise<void>((resolve) => {
      clearInterval(check)
      // A half-sent call would never end.
      const force = setTimeout(() => {
        server.forceShutdown()
        for (const socket of sockets.keys()) socket.destroy()
      }, CLOSE_GRACE_MS)
      server.tryShutdown(() => undefined)
      acceptor.close(() => {
        clearTimeout(force)
        resolve()
      })
    })
  return new Promise((resolve, reject) => {
    acceptor.once("error", reject)
    acceptor.listen(port, host, () => resolve({ port: (acceptor.address() as AddressInfo).port, close }))
  })
}
