import { createReadStream, statSync } from "node:fs"
import { createServer, request as httpRequest, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join } from "node:path"

/** A server on loopback that stands for a part of a deployment. */
export interface LocalServer {
  readonly origin: string
  close(): Promise<void>
}

async function listen(handler: RequestListener): Promise<LocalServer> {
  const server: Server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A proxy that gives each request to the next of its upstreams, under the upstream's own host, as load balancers do. */
export function startBalancer(upstreams: readonly string[]): Promise<LocalServer> {
  let turn = 0
  return listen((incoming, response) => {
    const upstream = new URL(upstreams[turn++ % upstreams.length]!)
    const forwarded = httpRequest(
      {
        host: upstream.hostname,
        port: upstream.port,
        method: incoming.method,
        path: incoming.url,
        headers: {
          ...incoming.headers,
          host: upstream.host,
          "x-forwarded-host": incoming.headers.host,
          "x-forwarded-proto": "http",
          "x-forwarded-for": incoming.socket.remoteAddress,
        },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    forwarded.on("error", () => response.destroy())
    incoming.pipe(forwarded)
  })
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".txt": "text/plain; charset=utf-8",
}

/** Serves the files of a directory as a static host does: `/items/7` is `items/7.html`, and what is missing is `404.html`. */
export function serveFiles(directory: string): Promise<LocalServer> {
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
  return listen(({ url = "/" }, response) => {
    const path = join(directory, decodeURIComponent(new URL(url, "http://static").pathname))
    const file = [path, `${path}.html`, join(path, "index.html")].find(isFile)
    const served = file ?? join(directory, "404.html")
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": TYPES[extname(served)] ?? "application/octet-stream",
    })
    createReadStream(served).pipe(response)
  })
}
