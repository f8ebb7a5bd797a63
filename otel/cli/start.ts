import { StartError } from "../command/fail.ts"
import { findHome } from "../command/home.ts"
import { announce, type StartedInspector, startInspector, stopOnSignal } from "../command/start-inspector.ts"
import { openOnDesktop } from "./desktop.ts"
import { isInspector } from "./is-inspector.ts"

export interface StartOptions {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly data?: string | undefined
  readonly open: boolean
}

/** `pagespan`: the inspector, until Ctrl-C. Where one is running already, that one is shown. */
export async function start(options: StartOptions): Promise<void> {
  setEnvironment(options)
  let inspector: StartedInspector
  try {
    inspector = await startInspector(findHome())
  } catch (error) {
    const running = runningUrl()
    if (!(error instanceof StartError) || !(await isInspector(running))) throw error
    console.log(`Pagespan is on ${running} already`)
    if (options.open) await openOnDesktop(running)
    return
  }
  stopOnSignal(() => inspector.stop())
  await announce(inspector)
  if (options.open) await openOnDesktop(inspector.url)
}

/** What is given on the command line goes before the environment. */
export function setEnvironment({ port, host, data }: Pick<StartOptions, "port" | "host" | "data">): void {
  if (port !== undefined) process.env["PORT"] = String(port)
  if (host !== undefined) process.env["HOST"] = host
  if (data !== undefined) process.env["PAGESPAN_DATA"] = data
}

export function runningUrl(): string {
  return `http://localhost:${process.env["PORT"] || "4318"}`
}
