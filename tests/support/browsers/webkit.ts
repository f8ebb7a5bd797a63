import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import type { Readable } from "node:stream"
import { endProcess } from "../end-process.ts"
import { freePort } from "../free-port.ts"
import { waitFor } from "../wait-for.ts"
import { type Command, type Driver, started } from "./driver.ts"

const START_LIMIT_MS = 60_000

const PATHS: Readonly<Record<Exclude<Command, "ElementClick">, string>> = {
  Back: "back",
  ExecuteAsyncScript: "execute/async",
  ExecuteScript: "execute/sync",
  Navigate: "url",
  PerformActions: "actions",
  SetWindowRect: "window/rect",
}

/** Starts the browser of Debian's WebKitGTK, the engine of Safari, on a display of its own. */
export async function launchWebKit(): Promise<Driver> {
  const { display, server } = await startDisplay()
  const port = await freePort()
  const child = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], {
    stdio: "ignore",
    // Without a language WebKit's `Intl` throws.
    env: { ...process.env, DISPLAY: display, LANG: "en_US.UTF-8", LANGUAGE: "en_US", LC_ALL: "" },
  })
  const stop = async () => {
    for (const each of [child, server]) await endProcess(each)
  }
  try {
    await started(child, "WebKit", "webkit2gtk-driver")
    const session = await startSession(`http://127.0.0.1:${port}`)
    return {
      send: (command, parameters = {}) =>
        command === "ElementClick"
          ? post(`${session}/element/${String(parameters["id"])}/click`, {})
          : post(`${session}/${PATHS[command]}`, parameters),
      async close() {
        await fetch(session, { method: "DELETE" }).catch(() => undefined)
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** @returns the URL of the session. */
async function startSession(origin: string): Promise<string> {
  await waitFor("WebKit to listen", () => fetch(`${origin}/status`).then(Boolean, () => false), START_LIMIT_MS)
  const { sessionId } = (await post(`${origin}/session`, { capabilities: {} })) as { sessionId: string }
  return `${origin}/session/${sessionId}`
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
  const { value } = (await response.json()) as { value: unknown }
  if (!response.ok) throw new Error(`${new URL(url).pathname}: ${JSON.stringify(value)}`)
  return value
}

/** A display that nobody sees: the browser of WebKitGTK has no headless mode. */
async function startDisplay(): Promise<{ readonly display: string; readonly server: ChildProcess }> {
  const parameters = ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
  const server = spawn("Xvfb", parameters, { stdio: ["ignore", "ignore", "ignore", "pipe"] })
  await started(server, "a virtual display", "xvfb")
  const [number] = (await once(server.stdio[3] as Readable, "data")) as [Buffer]
  return { display: `:${number.toString().trim()}`, server }
}
