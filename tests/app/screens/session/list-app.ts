import type { Browser, Page } from "playwright-core"
import { launchChromium } from "../../../support/chromium.ts"
import { RunningApp } from "../../../support/running-app.ts"
import { waitFor } from "../../../support/wait-for.ts"
import { openScreen } from "./open-screen.ts"

/** A span as an SDK sends it. Times in milliseconds before now. */
export interface SentSpan {
  readonly trace: number
  readonly id: number
  readonly parent?: number
  readonly name: string
  readonly service: string
  readonly agoMs?: number
  readonly lengthMs?: number
  readonly failed?: boolean
  readonly kind?: number
  readonly attributes?: Readonly<Record<string, string>>
  readonly resource?: Readonly<Record<string, string>>
}

export const traceIdOf = (number: number) => number.toString(16).padStart(32, "f0")
export const spanIdOf = (number: number) => number.toString(16).padStart(16, "a0")

/** The built inspector with a real store, and a Chromium page that records policy violations. */
export class ListApp {
  readonly violations: string[] = []

  private constructor(
    readonly app: RunningApp,
    readonly browser: Browser,
    readonly page: Page,
  ) {
    for (const event of ["console", "pageerror"] as const)
      page.on(event as "console", (message: unknown) => {
        const text = event === "console" ? (message as { text(): string }).text() : String(message)
        if (event === "pageerror" || /Content Security Policy|Refused to|hydrat/i.test(text)) this.violations.push(text)
      })
  }

  static async start(): Promise<ListApp> {
    const app = await RunningApp.start()
    const browser = await launchChromium()
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    return new ListApp(app, browser, page)
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.app.stop()
  }

  async open(path: string): Promise<void> {
    await openScreen(this.page, `${this.app.url}${path}`)
    await this.page.getByLabel("Live connection").getByText("Live").waitFor()
  }

  /** Sends the spans and waits until the last of them can be read. */
  async send(...spans: SentSpan[]): Promise<void> {
    await this.post(spans)
    const last = spans.at(-1)
    await waitFor("the spans in the store", async () => {
      const response = await fetch(`${this.app.url}/api/traces/${traceIdOf(last?.trace ?? 0)}`)
      return response.ok && (await response.text()).includes(spanIdOf(last?.id ?? 0))
    })
  }

  async post(spans: readonly SentSpan[]): Promise<void> {
    const response = await fetch(`${this.app.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: spans.map(resourceSpans) }),
    })
    if (!response.ok) throw new Error(`the handler answered ${response.status}`)
  }

  /** Names in the list, from the top. */
  async names(): Promise<string[]> {
    return this.page.locator("main tbody tr:not([aria-hidden]) th a").allInnerTexts()
  }

  /** Waits until the list has these names, from the top. */
  async shows(names: readonly string[]): Promise<void> {
    let seen: readonly string[] = []
    const isSo = async () => {
      seen = await this.names()
      return seen.join("\n") === names.join("\n")
    }
    await waitFor(`the list to show ${JSON.stringify(names)}`, isSo).catch((error: Error) => {
      throw new Error(`${error.message}; it shows ${JSON.stringify(seen.slice(0, 20))}`)
    })
  }

  /** The parameters of the URL. */
  get parameters(): Record<string, string> {
    return Object.fromEntries(new URL(this.page.url()).searchParams)
  }
}

function resourceSpans(span: SentSpan) {
  const { trace, id, parent, name, service, agoMs = 0, lengthMs = 5, failed = false, kind = 2 } = span
  const start = BigInt(Math.round((Date.now() - agoMs) * 1_000)) * 1_000n
  return {
    resource: { attributes: attributesOf({ "service.name": service, ...span.resource }) },
    scopeSpans: [
      {
        spans: [
          {
            traceId: traceIdOf(trace),
            spanId: spanIdOf(id),
            ...(parent !== undefined && { parentSpanId: spanIdOf(parent) }),
            name,
            kind,
            startTimeUnixNano: String(start),
            endTimeUnixNano: String(start + BigInt(Math.round(lengthMs * 1e6))),
            attributes: attributesOf(span.attributes ?? {}),
            ...(failed && { status: { code: 2 } }),
          },
        ],
      },
    ],
  }
}

function attributesOf(bag: Readonly<Record<string, string>>) {
  return Object.entries(bag).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}
