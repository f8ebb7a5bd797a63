import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** The Chromium that tests drive: `CHROMIUM_PATH`, else where Debian and others put it. */
export function chromiumPath(): string | undefined {
  return [process.env["CHROMIUM_PATH"], ...PLACES].find((path) => path !== undefined && existsSync(path))
}

/** Starts Chromium with nothing that reaches beyond this machine, and with the switches that a test needs beside. */
export async function launchChromium(...switches: readonly string[]): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error("no Chromium found; install it or set CHROMIUM_PATH")
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...switches,
    ],
  })
}
