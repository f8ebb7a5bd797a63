import type { RequestListener } from "node:http"
import { readConfig, unknownKeys } from "../../inspector/config.ts"
import type { Inspector } from "../../inspector/inspector.ts"
import { getInspector } from "../../inspector/instance.ts"
import { keepFilesPrivate } from "../../protocol/private-files.ts"
import { build, isBuilt } from "./build.ts"
import { prepareDataDirectory } from "./data-directory.ts"
import { findEngine } from "./engine.ts"
import { openExtraListeners } from "./extra-listeners.ts"
import type { InstallPaths } from "./install-paths.ts"
import { listen, type Listening } from "./listen.ts"
import { createRouter } from "./router.ts"
import { openScreens, type Screens } from "./screens.ts"
import { failStart, StartError } from "./start-error.ts"

/** An inspector with open handlers. */
export interface StartedInspector {
  /** Of the screens, as a person opens it. */
  readonly url: string
  /** Where the records are, in words. */
  readonly place: string
  /** Resolves when the screens answer. */
  readonly shown: Promise<void>
  /** Brings what was acknowledged to the store. Never rejects. */
  stop(): Promise<void>
}

/**
 * Handlers first, then the store, then the screens, in one process beside the store's own. Returns when the handlers are open.
 *
 * @throws {StartError | ConfigError} when it cannot start, in words for whoever started it.
 */
export async function startInspector(home: InstallPaths): Promise<StartedInspector> {
  keepFilesPrivate()
  prepareEnvironment()
  const config = readConfig(process.env)
  const [unknown] = unknownKeys(process.env)
  if (unknown !== undefined) throw new StartError(`${unknown} is no variable of Pagespan's`)
  const dataDirectory = prepareDataDirectory(config.PAGESPAN_DATA)
  if (config.CLICKHOUSE_URL === undefined) await lookForEngine()
  let screens: Screens | undefined
  let front: RequestListener | undefined
  const listening = await listen(config.HOST, config.PORT, (request, response) => front?.(request, response))
  const inspector = getInspector(home.programs)
  front = createRouter(inspector, () => screens?.listener)
  const url = `http://${shownHost(config.HOST)}:${listening.port}`
  const opened = [listening, ...(await openExtraListeners(config, inspector, url))]
  let isStopping = false
  inspector.store.ready().catch((error: unknown) => {
    // One that is closed before it was ready is never ready.
    if (!isStopping) failStart(storeProblem(error, inspector))
  })
  const show = async () => {
    if (!home.isPackage && !isBuilt(home.directory)) await build(home.directory)
    screens = await openScreens(home.directory, config.HOST, listening.port)
  }
  const leave = () => {
    isStopping = true
    return stop(opened, inspector, screens)
  }
  const place = config.CLICKHOUSE_URL === undefined ? dataDirectory : "ClickHouse (CLICKHOUSE_URL)"
  return { url, place, shown: show(), stop: leave }
}

/** Says where it is once the screens answer. */
export async function announce({ url, place, shown }: StartedInspector): Promise<void> {
  await shown
  console.log(`Pagespan is on ${url}`)
  console.log(`Data is in ${place}`)
}

/** Ctrl-C and SIGTERM bring what was acknowledged to the store and end with code 0. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  const handle = () => {
    if (stopping) return
    stopping = true
    stop().then(() => process.exit(0), failStart)
  }
  process.on("SIGINT", handle)
  process.on("SIGTERM", handle)
}

/** Before Next is loaded: it reads these once. */
function prepareEnvironment(): void {
  Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" })
}

async function lookForEngine(): Promise<void> {
  const directory = await findEngine(process.env)
  if (directory !== undefined) process.env["NODE_PATH"] = directory
}

async function stop(opened: readonly Listening[], inspector: Inspector, screens: Screens | undefined): Promise<void> {
  const closed = Promise.all(opened.map((listening) => listening.close()))
  await inspector.close()
  await screens?.close()
  await closed
}

function storeProblem(error: unknown, { store }: Inspector): StartError {
  return new StartError(store.problem ?? (error instanceof Error ? error.message : String(error)))
}

function shownHost(host: string): string {
  if (host === "127.0.0.1" || host === "::1") return "localhost"
  return host.includes(":") ? `[${host}]` : host
}
