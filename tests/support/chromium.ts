import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium, type Page } from "playwright-core"

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
/** The same Chromium without the browser's own windows: each test takes half the time. */
const SHELL_PATH = "/usr/bin/chromium-headless-shell"

/** The path of Chromium: `CHROMIUM_PATH`, else the usual places. */
export function chromiumPath(): string | undefined {
  return [process.env["CHROMIUM_PATH"], ...PATHS].find((path) => path !== undefined && existsSync(path))
}

/** Whether Chromium's headless shell is there. Tests that do not depend on windows and tabs run in it. */
export function hasHeadlessShell(): boolean {
  return existsSync(SHELL_PATH)
}

/** Among others, these disable everything that connects to another machine. */
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** Starts Chromium's headless shell if it is there and `CHROMIUM_PATH` names no other, else Chromium, with additional switches. */
export function launchChromium(...switches: readonly string[]): Promise<Browser> {
  return chromium.launch(browserOptions(...switches))
}

/** How `launchChromium` launches it, for a test framework that launches it itself. */
export function browserOptions(...switches: readonly string[]) {
  const usesShell = process.env["CHROMIUM_PATH"] === undefined && hasHeadlessShell()
  return { executablePath: usesShell ? SHELL_PATH : knownPath(), args: [...SWITCHES, ...switches] }
}

/** Starts the whole browser, for tests of what it does with tabs, and for benchmarks. */
export function launchWholeBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: knownPath(), args: SWITCHES })
}

/** Starts the whole browser with the back/forward cache, which Playwright disables by default. */
export function launchKeepingPages(): Promise<Browser> {
  return chromium.launch({
    executablePath: knownPath(),
    args: SWITCHES,
    ignoreDefaultArgs: ["--disable-back-forward-cache"],
  })
}

/**
 * Collects why Chromium does not restore a page from the back/forward cache. Pages themselves see some reasons as `masked`.
 *
 * @see https://chromedevtools.github.io/devtools-protocol/tot/Page/#type-BackForwardCacheNotRestoredReason
 */
export async function collectNotRestoredReasons(page: Page): Promise<readonly string[]> {
  const reasons: string[] = []
  const session = await page.context().newCDPSession(page)
  session.on("Page.backForwardCacheNotUsed", ({ notRestoredExplanations }) =>
    reasons.push(...notRestoredExplanations.map(({ reason }) => reason)),
  )
  await session.send("Page.enable")
  return reasons
}

/**
 * Opens an address in a browser without DevTools connection, since Chromium activates no prerendered page with one.
 *
 * @returns a function that stops it.
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
  if (path === undefined) throw new Error("Chromium was not found: install it, or set CHROMIUM_PATH")
  return path
}
