import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium } from "playwright-core"

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The Chromium that tests drive: `CHROMIUM_PATH`, else where Debian and others put it. */
export function chromiumPath(): string | undefined {
  return [process.env["CHROMIUM_PATH"], ...PLACES].find((path) => path !== undefined && existsSync(path))
}

/** Nothing that reaches beyond this machine. */
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** Starts Chromium, with the switches that a test needs beside. */
export function launchChromium(...switches: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: knownPath(), args: [...SWITCHES, ...switches] })
}

/** One that keeps the pages that are left for back and forward, as a visitor's does and a driven one does not. */
export function launchKeepingPages(): Promise<Browser> {
  return chromium.launch({
    executablePath: knownPath(),
    args: SWITCHES,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  })
}

/**
 * Opens an address in a Chromium that nobody drives: one that is driven activates no prerendered page.
 *
 * @returns ends it.
 */
export async function openUndriven(url: string): Promise<() => Promise<void>> {
  const profile = await mkdtemp(join(tmpdir(), "pagespan-chromium-"))
  const child = spawn(knownPath(), [...SWITCHES, "--headless", `--user-data-dir=${profile}`, url], { stdio: "ignore" })
  const exited = once(child, "exit")
  return async () => {
    child.kill()
    await exited
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

function knownPath(): string {
  const path = chromiumPath()
  if (path === undefined) throw new Error("no Chromium found; install it or set CHROMIUM_PATH")
  return path
}
