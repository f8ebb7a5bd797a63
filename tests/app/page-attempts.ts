/** What a page can try on a server, as functions that run in the page. Each is self-contained and gives up after a second. */

interface Target {
  readonly app: string
  readonly traceId: string
}

export interface Attempt {
  readonly how: string
  /** The text that the page could read; empty for none. */
  readonly got: string
}

/** Tries every way for a page to read. An open stream or socket counts as read. */
export async function readEverything({ app, traceId }: Target): Promise<Attempt[]> {
  const soon = (work: (done: (got: string) => void) => void) =>
    new Promise<string>((resolve) => {
      setTimeout(() => resolve(""), 1_000)
      work(resolve)
    })
  const api = `${app}/api/traces/${traceId}`
  const text = (url: string, init?: RequestInit) =>
    fetch(url, init).then(
      (response) => response.text(),
      () => "",
    )
  const load = (
    tag: "img" | "script" | "iframe",
    property: "src",
    url: string,
    read: (element: HTMLElement) => string,
  ) =>
    soon((done) => {
      const element = document.createElement(tag)
      element.addEventListener("load", () => done(read(element)))
      element.addEventListener("error", () => done(""))
      element.setAttribute(property, url)
      document.body.append(element)
    })
  const frameText = (element: HTMLElement) => {
    try {
      return (element as HTMLIFrameElement).contentDocument?.body.textContent ?? ""
    } catch {
      return ""
    }
  }
  const ways: [how: string, got: Promise<string>][] = [
    ["fetch", text(api)],
    ["fetch with cookies", text(`${app}/api/traces`, { credentials: "include" })],
    ["fetch without cors", text(api, { mode: "no-cors" })],
    ["screen", text(`${app}/traces/${traceId}`)],
    ["image", load("img", "src", `${app}/api/traces`, () => "it has loaded")],
    ["frame", load("iframe", "src", api, frameText)],
    [
      "event source",
      soon((done) => {
        const source = new EventSource(`${app}/live`)
        source.addEventListener("open", () => done("it has opened"))
        source.addEventListener("error", () => done(""))
      }),
    ],
    [
      "web socket",
      soon((done) => {
        const socket = new WebSocket(`${app.replace("http", "ws")}/live`)
        socket.addEventListener("open", () => done("it has opened"))
        socket.addEventListener("error", () => done(""))
      }),
    ],
  ]
  return Promise.all(ways.map(async ([how, got]) => ({ how, got: await got })))
}

/** Tries every way for a page to write. The name of each record starts with the mark and says which way it was. */
export async function writeEverything({ app, mark }: Target & { readonly mark: string }): Promise<void> {
  const digits = (length: number) => Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join("")
  const spans = (how: string) => {
    const now = `${Date.now()}000000`
    const span = {
      traceId: digits(32),
      spanId: digits(16),
      name: `${mark} by ${how}`,
      startTimeUnixNano: now,
      endTimeUnixNano: now,
    }
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  }
  const envelope = (how: string) => {
    const value = { type: "Error", value: `${mark} by ${how}` }
    const event = { event_id: digits(32), timestamp: Date.now() / 1_000, exception: { values: [value] } }
    return ['{"dsn":"http://any@localhost/1"}', '{"type":"event"}', JSON.stringify(event)].join("\n")
  }
  const post = (path: string, body: string, type: string, init: RequestInit = {}) =>
    fetch(`${app}${path}`, { method: "POST", body, headers: { "content-type": type }, ...init }).catch(() => undefined)
  /** A browser sends a text form as `name=value`, so the body is split at its first equals sign. */
  const form = (path: string, body: string) => {
    const frame = document.createElement("iframe")
    frame.name = digits(8)
    const element = document.createElement("form")
    Object.assign(element, { method: "post", enctype: "text/plain", action: `${app}${path}`, target: frame.name })
    const input = document.createElement("input")
    const at = body.indexOf("=")
    Object.assign(input, { type: "hidden", name: body.slice(0, at), value: body.slice(at + 1) })
    element.append(input)
    document.body.append(frame, element)
    element.submit()
  }
  navigator.sendBeacon(`${app}/api/1/envelope/?sentry_key=any`, envelope("beacon"))
  navigator.sendBeacon(`${app}/stream`, envelope("beacon to the stream"))
  form("/api/1/envelope/?sentry_key=any", envelope("form = text"))
  form("/stream", envelope("form to the stream = text"))
  const image = new Image()
  image.src = `${app}/api/1/store/?sentry_key=any&sentry_data=${encodeURIComponent(envelope("image"))}`
  await Promise.all([
    post("/v1/traces", spans("fetch"), "application/json"),
    post("/v1/traces", spans("fetch without cors"), "text/plain", { mode: "no-cors" }),
    post("/api/1/envelope/", envelope("fetch of an envelope"), "text/plain"),
    post("/stream", envelope("fetch without cors of an envelope"), "text/plain", { mode: "no-cors" }),
    post("/monitoring", envelope("tunnel"), "text/plain"),
    post("/monitoring", spans("tunnel of spans"), "application/json"),
    new Promise((resolve) => setTimeout(resolve, 300)),
  ])
}
