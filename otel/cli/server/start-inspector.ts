import type { RequestListener } from "node:http"
import { setTimeout as delay } from "node:timers/promises"
import { type Config, readConfig, unknownKeys } from "../../inspector/config.ts"
import { createInspector, type Inspector } from "../../inspector/inspector.ts"
import { getInspector, provideInspector } from "../../inspector/instance.ts"
import { keepFilesPrivate } from "../../protocol/private-files.ts"
import { END_SIGNALS } from "../end-signals.ts"
import { buildOnce, isBuilt } from "./build.ts"
import { prepareDataDirectory } from "./data-directory.ts"
import { findEngine } from "./engine.ts"
import { openExtraListeners } from "./extra-listeners.ts"
import type { InstallPaths } from "./install-paths.ts"
import { listen, type Listening } from "./listen.ts"
import { createRouter } from "./router.ts"
import { openScreens, type Screens } from "./screens.ts"
import { failStart, StartError } from "./start-error.ts"

/** An inspector whose ingest endpoints are open. */
export interface StartedInspector {
  readonly inspector: Inspector
  /** Address of the screens, as a person opens it. */
  readonly url: string
  /** Where the records are stored, for people. */
  readonly place: string
  /** Resolves when the screens answer. */
  readonly shown: Promise<void>
  /** Writes everything that was acknowledged to the store, then closes. Never rejects. */
  stop(): Promise<void>
}

/**
 * Milliseconds that the screens wait for the store at most. Loading Next blocks the thread for 0.3 s: meanwhile no request is
 * answered, and the store's process, which opens in 0.25 s, gets no statement that creates its tables. Measured on two cores,
 * with waiting: first POST answered after 0.16 s instead of 0.46, the store ready after 0.54 s instead of 0.91, the screens
 * after 0.70 s instead of 0.66.
 */
const SCREENS_WAIT_MS = 300

/**
 * Starts the inspector in the order in which its parts become useful: prepare, listen, router, store, screens. They share
 * one process, except for the store's engine. Resolves when the ingest endpoints are open; records that arrive before the
 * store is ready wait in the journal.
 *
 * @param options `withScreens`: whether screens and read API answer. Default: true.
 * @throws {StartError | ConfigError} when it cannot start, with a message that says what to do.
 */
export async function startInspector(
  install: InstallPaths,
  { withScreens = true }: { readonly withScreens?: boolean } = {},
): Promise<StartedInspector> {
  const { config, dataDirectory } = await prepare()

  let router: RequestListener | undefined
  const main = await listen(config.HOST, config.PORT, (request, response) => router?.(request, response))
  const url = `http://${hostInUrl(config.HOST)}:${main.port}`

  let screens: Screens | undefined
  provideInspector(() => createInspector(config, install.programs))
  const inspector = getInspector()
  router = createRouter(inspector, () => screens?.listener)
  const listeners = [main, ...(await openExtraListeners(config, inspector, url))]

  let isStopping = false
  const stored = inspector.store.ready().catch((error: unknown) => {
    // A store that is closed before it is ready rejects too.
    if (!isStopping) failStart(storeProblem(error, inspector))
  })

  const showScreens = async () => {
    if (!withScreens) return
    if (!install.isPackage && !isBuilt(install.directory)) await buildOnce(install.directory)
    await Promise.race([stored, delay(SCREENS_WAIT_MS, undefined, { ref: false })])
    if (isStopping) return
    screens = await openScreens(install.directory, config.HOST, main.port)
  }
  const stop = () => {
    isStopping = true
    return stopAll(listeners, inspector, screens)
  }
  const place = config.CLICKHOUSE_URL === undefined ? dataDirectory : "ClickHouse (CLICKHOUSE_URL)"
  return { inspector, url, place, shown: showScreens(), stop }
}

/** Prints the addresses once the screens answer. */
export async function announce({ url, place, shown }: StartedInspector): Promise<void> {
  await shown
  console.log(`Pagespan is on ${url}`)
  console.log(`Data is in ${place}`)
}

/** A stop that takes longer says so. Until then a further signal does nothing: npm repeats the one that Ctrl-C sends to both. */
const LONG_STOP_MS = 1_000

/**
 * On Ctrl-C, SIGTERM and SIGHUP, stops and exits with code 0. A signal during a long stop ends the process at once, with code 1:
 * what is not stored is in the journal.
 */
export function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false
  let isLong = false
  const handle = () => {
    if (isLong) process.exit(1)
    if (isStopping) return
    isStopping = true
    setTimeout(() => {
      isLong = true
      console.error("Stopping may take ten seconds. Press Ctrl-C to end it now: the next start stores what is left.")
    }, LONG_STOP_MS)
    stop().then(() => process.exit(0), failStart)
  }
  for (const signal of END_SIGNALS) process.on(signal, handle)
}

/** Checks everything that can prevent a start before the inspector listens. */
async function prepare(): Promise<{ config: Config; dataDirectory: string }> {
  keepFilesPrivate()
  // Next reads these once, when it is loaded.
  Object.assign(process.env, { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" })
  const config = readConfig(process.env)
  const [unknown] = unknownKeys(process.env)
  if (unknown !== undefined)
    throw new StartError(`${unknown} is not a variable of Pagespan: remove it, or check its spelling`)
  const dataDirectory = await prepareDataDirectory(config.PAGESPAN_DATA)
  const engine = config.CLICKHOUSE_URL === undefined ? await findEngine(process.env) : undefined
  // The store's process resolves the engine's module from here.
  if (engine !== undefined) process.env["NODE_PATH"] = engine
  return { config, dataDirectory }
}

async function stopAll(listeners: readonly Listening[], inspector: Inspector, screens: Screens | undefined) {
  const closed = Promise.all(listeners.map((listening) => listening.close()))
  await inspector.close()
  await screens?.close()
  await closed
}

function storeProblem(error: unknown, { store }: Inspector): StartError {
  return new StartError(store.problem ?? (error instanceof Error ? error.message : String(error)))
}

function hostInUrl(host: string): string {
  if (host === "127.0.0.1" || host === "::1") return "localhost"
  return host.includes(":") ? `[${host}]` : host
}
