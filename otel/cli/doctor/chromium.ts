import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import type { Readable, Writable } from "node:stream"

/** Names of the browsers that speak Chromium's DevTools protocol. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "brave-browser",
]
/** Where they are installed without being on the `PATH`. */
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  join(homedir(), "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
  String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
  String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
]

/** The path of an installed browser: `CHROMIUM_PATH`, else the usual names and places. `undefined` if there is none. */
export function findChromium(): string | undefined {
  const given = process.env["CHROMIUM_PATH"]
  if (given !== undefined) return existsSync(given) ? given : undefined
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean)
  return [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...PLACES].find((path) =>
    existsSync(path),
  )
}

const SWITCHES = [
  "--headless=new",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-gpu",
]
/** A browser that does not start must not hold up the command. */
const CALL_LIMIT_MS = 20_000
const STOP_LIMIT_MS = 5_000

/** A message of the DevTools protocol: an answer has an id, an event has a method. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/**
 * A browser without a window, over the pipe of Chromium's DevTools protocol: JSON that ends with a zero byte.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/
 */
export class Chromium {
  readonly #child: ChildProcess
  readonly #profile: string
  readonly #calls = new Map<number, (message: Message) => void>()
  readonly #listeners: ((method: string, params: unknown) => void)[] = []
  #lastId = 0
  #pending = ""

  private constructor(child: ChildProcess, profile: string) {
    this.#child = child
    this.#profile = profile
    const output = child.stdio[4] as Readable
    output.setEncoding("utf8").on("data", (text: string) => this.#receive(text))
    output.on("error", () => undefined)
    // The exit says that the browser has ended.
    child.stdio[3]?.on("error", () => undefined)
    child.once("error", () => this.#end()).once("exit", () => this.#end())
  }

  static async start(path: string): Promise<Chromium> {
    const profile = await mkdtemp(join(tmpdir(), "pagespan-browser-"))
    // Chromium has no sandbox for root, as in most containers.
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : []
    const child = spawn(path, [...SWITCHES, ...sandbox, `--user-data-dir=${profile}`], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    })
    return new Chromium(child, profile)
  }

  /** Calls a method. @throws {Error} if the browser refuses it, or does not answer in 20 s. */
  call<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#lastId
    const answered = new Promise<Result>((resolve, reject) => {
      const timeout = setTimeout(() => settle({ error: { message: "no answer" } }), CALL_LIMIT_MS)
      const settle = ({ result, error }: Message) => {
        clearTimeout(timeout)
        this.#calls.delete(id)
        if (error === undefined) resolve(result as Result)
        else reject(new Error(`${method}: ${error.message}`))
      }
      this.#calls.set(id, settle)
    })
    const message = { id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }
    ;(this.#child.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`, () => undefined)
    return answered
  }

  /** @param listener is called with each event of the browser and of its pages. */
  listen(listener: (method: string, params: unknown) => void): void {
    this.#listeners.push(listener)
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    const hasEnded = () => this.#child.exitCode !== null || this.#child.signalCode !== null
    if (!hasEnded()) {
      const exited = new Promise((done) => this.#child.once("exit", done))
      // Its other processes end with it, and write into the profile until then.
      this.call("Browser.close").catch(() => this.#child.kill("SIGKILL"))
      const timeout = setTimeout(() => this.#child.kill("SIGKILL"), STOP_LIMIT_MS)
      await exited
      clearTimeout(timeout)
    }
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }).catch(() => undefined)
  }

  #receive(text: string): void {
    const parts = `${this.#pending}${text}`.split("\0")
    this.#pending = parts.pop() ?? ""
    for (const part of parts) {
      const message = JSON.parse(part) as Message
      if (message.id !== undefined) this.#calls.get(message.id)?.(message)
      else for (const listener of this.#listeners) listener(message.method ?? "", message.params)
    }
  }

  #end(): void {
    for (const settle of this.#calls.values()) settle({ error: { message: "the browser ended" } })
  }
}
