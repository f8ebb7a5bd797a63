import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { waitFor } from "./wait-for.ts"

const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next")
const START_LIMIT_MS = 60_000
const URL_LINE = /http:\/\/127\.0\.0\.1:\d+/

/** One of the small Next apps in `tests/pages`, built for production and started: an app that only installs the library. */
export class RunningPage {
  readonly #child: ChildProcess
  #output = ""

  private constructor(directory: string, environment: Record<string, string>) {
    this.#child = spawnNext(["start", directory, "--port", "0", "--hostname", "127.0.0.1"], environment)
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
  }

  /** @param name of the folder in `tests/pages`. */
  static async start(name: string, environment: Record<string, string>): Promise<RunningPage> {
    const directory = join("tests", "pages", name)
    await build(directory)
    const page = new RunningPage(directory, environment)
    await waitFor("the line with the address", () => URL_LINE.test(page.#output), START_LIMIT_MS)
    return page
  }

  get url(): string {
    return URL_LINE.exec(this.#output)?.[0] ?? ""
  }

  async stop(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once("exit", resolve))
    this.#child.kill("SIGTERM")
    await exited
  }
}

async function build(directory: string): Promise<void> {
  const child = spawnNext(["build", directory], {})
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise((resolve) => child.once("exit", resolve))
  if (code !== 0) throw new Error(`next build of ${directory} failed:\n${output}`)
}

function spawnNext(parameters: string[], environment: Record<string, string>): ChildProcess {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(?:OTEL_|SENTRY_|PAGESPAN_|VITEST|NODE_ENV)/.test(name),
  )
  // `next.config.ts` imports the library as it is here, in TypeScript.
  return spawn(process.execPath, ["--import", "tsx", NEXT, ...parameters], {
    env: { ...Object.fromEntries(clean), NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
}
