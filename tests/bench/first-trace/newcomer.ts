import { type ChildProcess, spawn } from "node:child_process"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const END_LIMIT_MS = 10_000

/** A user at a terminal who runs commands, some of them in the background. */
export class Newcomer {
  readonly #environment: Record<string, string>
  readonly #running: ChildProcess[] = []
  #output = ""

  /** @param cache an empty directory for the caches of npm and the user; `undefined` for those of this machine. */
  constructor(cache: string | undefined) {
    const { npm_config_cache: _, ...environment } = cleanEnvironment()
    const caches = cache === undefined ? {} : { npm_config_cache: `${cache}/npm`, XDG_CACHE_HOME: cache }
    this.#environment = { ...environment, ...caches, NEXT_TELEMETRY_DISABLED: "1" }
  }

  /** The output of the commands so far. */
  get output(): string {
    return this.#output
  }

  /** Runs a command to its end. Rejects with all output when it fails. */
  async run(directory: string, command: string, ...words: readonly string[]): Promise<void> {
    const child = this.start(directory, {}, command, ...words)
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    if (code !== 0) throw new Error(`${command} ${words.join(" ")} ended with ${code}:\n${this.#output}`)
  }

  start(
    directory: string,
    environment: Readonly<Record<string, string>>,
    command: string,
    ...words: readonly string[]
  ): ChildProcess {
    const env = { ...this.#environment, ...environment } as unknown as NodeJS.ProcessEnv
    // A process group of its own, since npx does not forward signals.
    const child = spawn(command, words, { cwd: directory, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
    this.#running.push(child)
    return child
  }

  /** Waits until the address answers with a page. Rejects with all output when it does not. */
  async answers(url: string, limitMs: number): Promise<void> {
    const isUp = () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    await waitFor(`${url} to answer`, isUp, limitMs).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.#output}`)
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map(endGroup))
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const group = -child.pid
  const exited = new Promise((resolve) => child.once("exit", resolve))
  process.kill(group, "SIGTERM")
  const timeout = setTimeout(() => process.kill(group, "SIGKILL"), END_LIMIT_MS)
  await exited
  clearTimeout(timeout)
}
