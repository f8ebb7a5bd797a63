import type { Browser, ConsoleMessage, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { type ListedIssue, listedIssues, sendListedSamples } from "./listed-issues.ts"
import { openScreen } from "./open-screen.ts"

/** An error of the console with its place: for a failed request, its URL. */
export function complaint(message: ConsoleMessage): string {
  return `${message.text()} (${message.location().url})`
}

/** The built inspector with a real store and a browser. Shared by the tests of a file. */
export class ScreenSession {
  app!: RunningApp
  page!: Page
  /** The most detailed issue of the sample records. */
  issueId = ""
  /** Errors and content security policy violations of the pages. */
  readonly complaints: string[] = []
  #browser: Browser | undefined

  /** Starts before the tests of the calling file, and stops after them. */
  static ofFile(environment: Readonly<Record<string, string>> = {}): ScreenSession {
    const session = new ScreenSession()
    beforeAll(() => session.#start(environment))
    beforeEach(() => session.page.emulateMedia({ colorScheme: "light" }))
    afterAll(async () => {
      await session.#browser?.close()
      await session.app?.stop()
    })
    return session
  }

  async #start(environment: Readonly<Record<string, string>>): Promise<void> {
    this.app = await RunningApp.start(environment)
    this.#browser = await launchChromium()
    const context = await this.#browser.newContext({ viewport: { width: 1_440, height: 900 } })
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: this.app.url })
    this.page = await context.newPage()
    this.page.on("console", (message) => message.type() === "error" && this.complaints.push(complaint(message)))
    this.page.on("pageerror", (error) => this.complaints.push(error.message))
    await this.page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        console.error(`refused by policy: ${violatedDirective} ${blockedURI}`),
      ),
    )
  }

  async sendSamples(): Promise<void> {
    await sendListedSamples(this.app.url)
    this.issueId = (await this.issues("?q=charge"))[0]?.issueId ?? ""
  }

  open(path: string) {
    return openScreen(this.page, this.app.url + path.replace("ISSUE", this.issueId))
  }

  get parameters(): URLSearchParams {
    return new URL(this.page.url()).searchParams
  }

  rows(table: string) {
    return this.page.getByRole("table", { name: table, exact: true }).getByRole("row")
  }

  issues(query = ""): Promise<readonly ListedIssue[]> {
    return listedIssues(this.app.url, query)
  }
}
