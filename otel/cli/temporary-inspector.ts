import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { Inspector } from "../inspector/inspector.ts"
import { END_SIGNALS } from "./end-signals.ts"
import { CommandError, EXIT } from "./exit.ts"
import { plain } from "../protocol/line-text.ts"

/** An inspector for one command, on free ports, with a data directory that is removed when the process exits. */
export interface TemporaryInspector {
  readonly url: string
  readonly inspector: Inspector
  /**
   * Resolves when everything that was acknowledged is in the store.
   *
   * @throws {CommandError} when the store makes no progress for 30 s.
   */
  stored(): Promise<void>
  /** Never rejects. */
  stop(): Promise<void>
}

/** A recording of any age is read whole. */
const ENVIRONMENT = {
  HOST: "127.0.0.1",
  PAGESPAN_SELF: "off",
  PAGESPAN_GRPC: "off",
  PAGESPAN_SPOTLIGHT: "off",
  PAGESPAN_RETENTION: "3650d",
}
/** Variables of an inspector that the user runs for other purposes. */
const OF_ANOTHER = /^(?:PAGESPAN_|CLICKHOUSE_URL$)/
/** Longest wait for a store that takes no records. */
const STALLED_MS = 30_000
const ROUND_MS = 50
/** Shells add the number of the signal that ended a program. */
const SIGNALED = 128

/** @param options `port`: 0 is any free one. `withScreens`: whether screens and read API answer. */
export async function startTemporaryInspector(options: {
  readonly port: number
  readonly withScreens: boolean
}): Promise<TemporaryInspector> {
  const directory = await mkdtemp(join(tmpdir(), "pagespan-"))
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }))
  for (const signal of END_SIGNALS) process.on(signal, exitUnlessHandled)
  for (const name of Object.keys(process.env)) if (OF_ANOTHER.test(name)) delete process.env[name]
  Object.assign(process.env, ENVIRONMENT, { PAGESPAN_DATA: directory, PORT: String(options.port) })
  // Standard output belongs to the program or the report: messages of Pagespan and Next go to standard error.
  console.log = console.error
  const { findInstallPaths } = await import("./server/install-paths.ts")
  const { startInspector } = await import("./server/start-inspector.ts")
  const { inspector, url, shown, stop } = await startInspector(findInstallPaths(), options)
  shown.catch((error: unknown) => console.error(plain(error instanceof Error ? error.message : String(error))))
  return { url, inspector, stored: () => stored(inspector), stop }
}

/** A signal that nobody else handles ends the process, with the handlers of its exit. */
function exitUnlessHandled(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) process.exit(SIGNALED + constants.signals[signal])
}

async function stored(inspector: Inspector): Promise<void> {
  await inspector.store.ready()
  await inspector.receiver.drops.flush()
  let { depth } = inspector.health().queue
  let deadline = Date.now() + STALLED_MS
  while (depth > 0) {
    await delay(ROUND_MS)
    const now = inspector.health().queue.depth
    if (now < depth) deadline = Date.now() + STALLED_MS
    depth = now
    if (Date.now() > deadline) throw new CommandError(`The store did not take ${depth} records`, EXIT.failed)
  }
}
