import { createServer } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { openScreens } from "../server/screens.ts"

/**
 * Serves one screen of the built app in the working directory and prints the files of `node_modules` that this loaded, as a
 * JSON array.
 */
async function main(): Promise<void> {
  const screens = await openScreens(process.cwd(), "127.0.0.1", 0)
  const server = createServer(screens.listener)
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  await (await fetch(`http://127.0.0.1:${port}/connect`)).arrayBuffer()
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes("node_modules"))
  process.stdout.write(`\n${JSON.stringify(loaded)}\n`, () => process.exit(0))
}

void main()
