import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, writeFile } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { endProcess } from "../end-process.ts"
import { removeDirectory } from "../remove-directory.ts"
import { waitFor } from "../wait-for.ts"
import { type Driver, started } from "./driver.ts"

const START_LIMIT_MS = 60_000
const PREFERENCES = [
  'user_pref("marionette.port", 0);',
  'user_pref("browser.shell.checkDefaultBrowser", false);',
  'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
  'user_pref("app.normandy.enabled", false);',
  'user_pref("network.captive-portal-service.enabled", false);',
  'user_pref("network.connectivity-service.enabled", false);',
]

/**
 * Starts Debian's Firefox with a new profile. It speaks Marionette, into which `geckodriver` translates WebDriver: Debian 12 has no
 * `geckodriver`, and this Firefox lacks a command of WebDriver BiDi that Playwright needs.
 */
export async function launchFirefox(): Promise<Driver> {
  const profile = await mkdtemp(join(tmpdir(), "pagespan-firefox-"))
  await writeFile(join(profile, "user.js"), PREFERENCES.join("\n"))
  const child = spawn("firefox-esr", ["--headless", "--marionette", "--no-remote", "--profile", profile], {
    stdio: "ignore",
  })
  const stop = async () => {
    await endProcess(child)
    await removeDirectory(profile)
  }
  try {
    await started(child, "Firefox", "firefox-esr")
    const marionette = await Marionette.connect(profile)
    return {
      send: (command, parameters = {}) => marionette.send(`WebDriver:${command}`, parameters),
      async close() {
        await marionette.quit()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** An answer: the type 1, the id of its command, an error or `null`, and the result. */
type Answer = readonly [type: 1, id: number, error: object | null, result: { readonly value?: unknown }]

/** Marionette's protocol over TCP: each message is its length in bytes, a colon, and JSON. */
class Marionette {
  readonly #socket: Socket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #received = Buffer.alloc(0)
  #commands = 0

  /** Starts a session with the Firefox of a profile. */
  static async connect(profile: string): Promise<Marionette> {
    const file = join(profile, "MarionetteActivePort")
    const read = () => (existsSync(file) ? Number(readFileSync(file, "utf8")) || undefined : undefined)
    const port = await waitFor("Firefox to listen", read, START_LIMIT_MS)
    const socket = connect(port, "127.0.0.1")
    await once(socket, "connect")
    const marionette = new Marionette(socket)
    await marionette.send("WebDriver:NewSession", { capabilities: {} })
    return marionette
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on("close", () => {
      for (const [id, answer] of this.#waiting) answer([1, id, { message: "Firefox has ended" }, {}])
    })
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      while (this.#readMessage());
    })
  }

  send(command: string, parameters: object): Promise<unknown> {
    const id = ++this.#commands
    const text = JSON.stringify([0, id, command, parameters])
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ([, , error, result]) => {
        if (error === null) resolve("value" in result ? result.value : result)
        else reject(new Error(`${command}: ${JSON.stringify(error)}`))
      })
      this.#socket.write(`${Buffer.byteLength(text)}:${text}`)
    })
  }

  async quit(): Promise<void> {
    await this.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => undefined)
    this.#socket.destroy()
  }

  /** @returns whether a whole message had arrived. */
  #readMessage(): boolean {
    const colon = this.#received.indexOf(":")
    if (colon < 0) return false
    const end = colon + 1 + Number(this.#received.subarray(0, colon))
    if (this.#received.length < end) return false
    const message: unknown = JSON.parse(this.#received.subarray(colon + 1, end).toString())
    this.#received = this.#received.subarray(end)
    // The first message says which protocol this is.
    if (!Array.isArray(message)) return true
    const [, id] = message as unknown as Answer
    this.#waiting.get(id)?.(message as unknown as Answer)
    this.#waiting.delete(id)
    return true
  }
}
