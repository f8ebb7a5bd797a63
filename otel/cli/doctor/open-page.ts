import { gunzipSync } from "node:zlib"
import { Chromium } from "./chromium.ts"

/** What a page posted with Pagespan. */
export interface Delivery {
  readonly url: string
  readonly kind: "envelope" | "spans"
  readonly body: string
  /** `undefined` if no answer came. */
  readonly status: number | undefined
  /** Why no answer came, in the browser's words. */
  readonly failure: string | undefined
}

/** What a browser saw of a page. */
export interface OpenedPage {
  readonly deliveries: readonly Delivery[]
  /** What the page's content security policy blocked, in the browser's words. */
  readonly blocked: readonly string[]
  /** Errors that the page threw by itself. */
  readonly errors: readonly string[]
}

/** `next dev` compiles a page on its first request. */
const LOAD_LIMIT_MS = 60_000
/** A root ends once the page has been idle for a second. The Sentry client loads when it is idle. */
const SETTLE_MS = 3_000
/** Time for what a page sends while it is left. */
const LEAVE_MS = 1_500
const DELIVERY_LIMIT_MS = 10_000
const STEP_MS = 100
/** Bytes of a body that the browser reports. An envelope has at most 1 MiB. */
const BODY_BYTES = 2 * 1024 * 1024

interface Requested {
  readonly requestId: string
  readonly request: {
    readonly url: string
    readonly method: string
    /** The body's bytes as base64. */
    readonly postDataEntries?: readonly { readonly bytes?: string }[]
  }
}

interface Answered {
  readonly requestId: string
  readonly response: { readonly status: number }
}

interface Failed {
  readonly requestId: string
  readonly errorText: string
  readonly blockedReason?: string
}

interface Thrown {
  readonly exceptionDetails: { readonly text: string; readonly exception?: { readonly description?: string } }
}

interface Logged {
  readonly entry: { readonly source: string; readonly text: string }
}

/**
 * Opens a page in a browser without a window, throws an error in it, and leaves it.
 *
 * @param path of the browser.
 * @throws {Error} if the browser does not start, or does not load the page.
 */
export async function openPage(path: string, url: URL, message: string): Promise<OpenedPage> {
  const chromium = await Chromium.start(path)
  try {
    const seen = new Observation(message)
    chromium.listen((method, params) => seen.add(method, params))
    const { targetId } = await chromium.call<{ targetId: string }>("Target.createTarget", { url: "about:blank" })
    const { sessionId } = await chromium.call<{ sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    })
    const call = <Result>(method: string, params?: object) => chromium.call<Result>(method, params, sessionId)
    await call("Network.enable", { maxPostDataSize: BODY_BYTES })
    for (const domain of ["Page", "Runtime", "Log"]) await call(`${domain}.enable`)
    const { errorText } = await call<{ errorText?: string }>("Page.navigate", { url: url.href })
    if (errorText !== undefined) throw new Error(errorText)
    await until(() => seen.isLoaded, LOAD_LIMIT_MS)
    await pause(SETTLE_MS)
    // In a task of its own, as an error that nothing catches. `evaluate` itself would report it to us alone.
    await call("Runtime.evaluate", {
      expression: `void setTimeout(() => { throw new Error(${JSON.stringify(message)}) })`,
    })
    await until(() => seen.deliveries.some(({ body }) => body.includes(message)), DELIVERY_LIMIT_MS)
    await pause(SETTLE_MS)
    await call("Page.navigate", { url: "about:blank" })
    await pause(LEAVE_MS)
    return { deliveries: seen.deliveries, blocked: [...seen.blocked], errors: seen.errors }
  } finally {
    await chromium.stop()
  }
}

/** What the browser reports, as it arrives. */
class Observation {
  readonly blocked = new Set<string>()
  readonly errors: string[] = []
  isLoaded = false
  readonly #deliveries = new Map<string, Delivery>()

  constructor(private readonly message: string) {}

  get deliveries(): Delivery[] {
    return [...this.#deliveries.values()]
  }

  add(method: string, params: unknown): void {
    if (method === "Page.loadEventFired") this.isLoaded = true
    if (method === "Network.requestWillBeSent") this.#addRequest(params as Requested)
    if (method === "Network.responseReceived") this.#answer(params as Answered)
    if (method === "Network.loadingFailed") this.#fail(params as Failed)
    if (method === "Runtime.exceptionThrown") this.#addError(params as Thrown)
    if (method === "Log.entryAdded") this.#addEntry(params as Logged)
  }

  #addRequest({ requestId, request: { url, method, postDataEntries = [] } }: Requested): void {
    if (method !== "POST") return
    const body = bodyOf(Buffer.concat(postDataEntries.map(({ bytes = "" }) => Buffer.from(bytes, "base64"))))
    const kind = kindOf(body)
    if (kind === undefined) return
    this.#deliveries.set(requestId, { url, kind, body, status: undefined, failure: undefined })
  }

  #answer({ requestId, response: { status } }: Answered): void {
    const delivery = this.#deliveries.get(requestId)
    if (delivery !== undefined) this.#deliveries.set(requestId, { ...delivery, status })
  }

  #fail({ requestId, errorText, blockedReason }: Failed): void {
    const delivery = this.#deliveries.get(requestId)
    if (delivery === undefined || delivery.status !== undefined) return
    const failure = blockedReason === undefined ? errorText : `blocked: ${blockedReason}`
    this.#deliveries.set(requestId, { ...delivery, failure })
  }

  #addError({ exceptionDetails: { text, exception } }: Thrown): void {
    const description = exception?.description ?? text
    if (!description.includes(this.message)) this.errors.push(description.split("\n", 1)[0] ?? "")
  }

  #addEntry({ entry: { source, text } }: Logged): void {
    if (source === "security" && /content security policy/i.test(text)) this.blocked.add(text)
  }
}

/** The text of a body. Pages compress larger ones. */
function bodyOf(bytes: Buffer): string {
  const isGzipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    return (isGzipped ? gunzipSync(bytes, { maxOutputLength: BODY_BYTES }) : bytes).toString()
  } catch {
    // A body that the browser reports in part.
    return ""
  }
}

/** By what the body is: an app's own requests go to any path. */
function kindOf(body: string): Delivery["kind"] | undefined {
  if (body.startsWith('{"resourceSpans":')) return "spans"
  return /^\{[^\n]*\}\n\{[^\n]*"type":"/.test(body) ? "envelope" : undefined
}

async function until(isDone: () => boolean, limitMs: number): Promise<void> {
  for (let waited = 0; !isDone() && waited < limitMs; waited += STEP_MS) await pause(STEP_MS)
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((later) => setTimeout(later, milliseconds))
}
