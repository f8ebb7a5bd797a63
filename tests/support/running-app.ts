import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PACKAGED_START } from "./packaged.ts"
import { removeDirectory } from "./remove-directory.ts"
import { waitFor } from "./wait-for.ts"

const START_LIMIT_MS = 60_000
const URL_LINE = /^Pagespan is on (http:\S+)$/m

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** An inspector in a process of its own, on a free port and in a new data directory. */
export class RunningApp {
  readonly dataDirectory: string
  readonly exited: Promise<Exit>
  readonly #child: ChildProcess
  readonly #ownsDirectory: boolean
  #output = ""

  private constructor(
    dataDirectory: string,
    ownsDirectory: boolean,
    environment: Record<string, string>,
    start: readonly string[],
  ) {
    this.dataDirectory = dataDirectory
    this.#ownsDirectory = ownsDirectory
    this.#child = spawn(process.execPath, start, {
      env: {
        ...cleanEnvironment(),
        PORT: "0",
        PAGESPAN_SPOTLIGHT: "off",
        PAGESPAN_GRPC: "off",
        PAGESPAN_DATA: dataDirectory,
        ...environment,
      } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
    this.exited = new Promise((resolve) => this.#child.once("exit", (code, signal) => resolve({ code, signal })))
  }

  /**
   * Starts the process and returns at once, even if the inspector cannot start.
   *
   * @param start arguments of `node`. Default: the packaged inspector.
   */
  static async launch(
    environment: Record<string, string> = {},
    start: readonly string[] = [PACKAGED_START],
  ): Promise<RunningApp> {
    const given = environment["PAGESPAN_DATA"]
    const directory = given ?? (await mkdtemp(join(tmpdir(), "pagespan-test-")))
    return new RunningApp(directory, given === undefined, environment, start)
  }

  /** Starts the inspector and waits until screens and store are ready. */
  static async start(environment: Record<string, string> = {}): Promise<RunningApp> {
    const app = await RunningApp.launch(environment)
    try {
      await app.ready()
    } catch (error) {
      await app.stop("SIGKILL")
      throw new Error(`the app did not start:\n${app.output}`, { cause: error })
    }
    return app
  }

  async ready(): Promise<void> {
    await waitFor("the line with the URL", () => URL_LINE.test(this.#output), START_LIMIT_MS)
    await waitFor("the store", async () => (await fetch(`${this.url}/health`)).ok, START_LIMIT_MS)
  }

  get output(): string {
    return this.#output
  }

  get url(): string {
    const url = URL_LINE.exec(this.#output)?.[1]
    if (url === undefined) throw new Error("the app has not printed its address")
    return url
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** Ends the process and deletes its data directory, unless the test chose it. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> {
    this.#child.kill(signal)
    const exit = await this.exited
    if (this.#ownsDirectory) await removeDirectory(this.dataDirectory)
    return exit
  }
}

/** The environment of the tests without the variables that configure the app. */
export function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(?:OTEL_|SENTRY_|PAGESPAN_|CLICKHOUSE_|VERCEL_|GITHUB_|CI_|NODE_OPTIONS|VITEST|NODE_ENV)/.test(entry[0]),
  )
  return Object.fromEntries(entries)
}
