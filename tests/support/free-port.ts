import { createServer } from "node:net"

/** Below the ports that systems choose for sockets without a number, from 32,768 on Linux: another process is not given it. */
const FIRST = 20_000
const COUNT = 10_000

/** A port that no process listens on, for a program that needs its number before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
}
