import type { Browser } from "playwright-core"
import { launchChromium } from "../chromium.ts"
import { launchFirefox } from "./firefox.ts"
import { remoteBrowser } from "./remote-page.ts"
import { launchWebKit } from "./webkit.ts"

/** A browser in which pages are tested, and what it does not do as the others. */
export interface TestedBrowser {
  /** What its user agent contains. */
  readonly agent: string
  launch(): Promise<Browser>
  /** How many visitors load pages at the same time. */
  readonly atOnce: number
  /** Whether the browser has the Navigation API, without which nobody knows which entries of the history the app itself wrote. */
  readonly hasNavigationApi: boolean
  /**
   * Whether a delivery may arrive twice. Firefox and WebKit cancel the requests of a page that is about to load another document, also if
   * they have arrived. The page stores them for the next one, which sends them again, with the same ids.
   */
  readonly mayRepeat?: true
  /** The web vitals of a page load without input that it reports. */
  readonly vitals: readonly string[]
  /** Whether it reports the status of a resource. */
  readonly hasResourceStatus: boolean
}

export const CHROMIUM: TestedBrowser = {
  agent: "Chrome",
  launch: launchChromium,
  atOnce: 2,
  hasNavigationApi: true,
  vitals: ["fcp", "lcp", "ttfb"],
  hasResourceStatus: true,
}

/** Debian's Firefox 140. */
export const FIREFOX: TestedBrowser = {
  agent: "Firefox",
  launch: async () => remoteBrowser(await launchFirefox()),
  atOnce: 1,
  hasNavigationApi: false,
  mayRepeat: true,
  vitals: ["fcp", "lcp", "ttfb"],
  hasResourceStatus: true,
}

/** Debian's WebKitGTK 2.50, the engine of Safari 26.0. */
export const WEBKIT: TestedBrowser = {
  agent: "AppleWebKit",
  launch: async () => remoteBrowser(await launchWebKit()),
  atOnce: 1,
  hasNavigationApi: false,
  mayRepeat: true,
  vitals: ["fcp", "ttfb"],
  hasResourceStatus: false,
}
