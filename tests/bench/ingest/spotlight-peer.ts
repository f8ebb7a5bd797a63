import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { freePort } from "#tests/support/free-port.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** Sentry's sidecar, which ingests the same envelopes and stores the last 500 in memory. */
const PEER = { "@spotlightjs/spotlight": "4.11.8" }
/** A later router satisfies its version range but answers every request with 500 (its issue 1343). */
const HELD_BACK = { hono: "4.12.21" }
const DIRECTORY = join(tmpdir(), "pagespan-bench-spotlight-4.11.8")
const INSTALL_LIMIT_MS = 180_000

export interface Peer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Installs and starts the sidecar. If that fails, prints why and returns `undefined`. */
export async function startSpotlight(): Promise<Peer | undefined> {
  try {
    await install()
    return await start()
  } catch (error) {
    console.log(`No peer: Spotlight could not be installed or started (${String(error).split("\n", 1)[0]}).`)
    return undefined
  }
}

async function install(): Promise<void> {
  if (existsSync(join(DIRECTORY, "node_modules/.package-lock.json"))) return
  mkdirSync(DIRECTORY, { recursive: true })
  writeFileSync(
    join(DIRECTORY, "package.json"),
    JSON.stringify({ private: true, dependencies: PEER, overrides: HELD_BACK }),
  )
  const parameters = ["install", "--ignore-scripts", "--no-audit", "--no-fund"]
  await promisify(execFile)("npm", parameters, { cwd: DIRECTORY, timeout: INSTALL_LIMIT_MS })
}

async function start(): Promise<Peer> {
  const port = await freePort()
  const child = spawn(process.execPath, ["node_modules/@spotlightjs/spotlight/dist/run.js", "-p", String(port)], {
    cwd: DIRECTORY,
    stdio: "ignore",
    // Disables the sidecar's reports to its vendor.
    env: { ...cleanEnvironment(), SENTRY_DSN: "" } as unknown as NodeJS.ProcessEnv,
  })
  const url = `http://localhost:${port}`
  await waitFor("Spotlight", async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true, 30_000)
  return { url, pid: child.pid ?? -1, stop: () => stop(child) }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })
}
