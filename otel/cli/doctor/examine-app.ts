import { SETTINGS_MEDIA_TYPE } from "../../protocol/page-settings.ts"
import { COMMAND_USER_AGENT } from "../../protocol/transport/inspector-address.ts"
import { createTestError, type TestError } from "./test-error.ts"

/** One thing that was checked: what was found, and if it is wrong, how to mend it. */
export interface Finding {
  readonly text: string
  readonly fix?: string
}

export interface Examination {
  readonly findings: readonly Finding[]
  /** What was sent, if the tunnel took it. */
  readonly sent: TestError | undefined
}

/** `next dev` compiles a page on its first request. */
const PAGE_LIMIT_MS = 60_000
const REQUEST_LIMIT_MS = 15_000
const MAX_SCRIPTS = 60
const DEFAULT_TUNNEL = "/monitoring"
/** The element with the page's settings, as React writes it. */
const META = /<meta name="pagespan" content="([^"]*)"/
const SCRIPT = /\bsrc="([^"]+)"/g
const REDIRECTED = `exclude the tunnel from the matcher of proxy or middleware; pagespan init does`
const NO_ROUTE = `add the route handler: export { POST } from "pagespan/tunnel" in app${DEFAULT_TUNNEL}/route.ts`
const NOT_REGISTERED = `call register of pagespan/server in instrumentation, and check that OTEL_SDK_DISABLED is not set`

/** What the app gives its pages: a part of `PageSettings` of the SDK. */
interface Settings {
  readonly service?: string
  readonly environment?: string
  readonly release?: string
  readonly dsn?: string
  readonly tunnel?: string
}

/**
 * Examines a running app as a page of it would: loads the page, asks the tunnel for its settings, and sends a test error
 * through it. It starts nothing and changes nothing.
 *
 * @returns `undefined` if nothing answers at the address.
 */
export async function examineApp(url: URL): Promise<Examination | undefined> {
  const response = await request(url, { headers: { accept: "text/html" } }, PAGE_LIMIT_MS)
  if (response === undefined) return undefined
  const html = await response.text()
  const shown = new URL(response.url)
  const findings: Finding[] = [
    response.status < 500
      ? { text: `the page answers ${response.status}` }
      : { text: `the page answers ${response.status}`, fix: "look at the log of your app" },
    await examineTracer(html, shown),
  ]
  const ofPage = settingsIn(html)
  findings.push(serverFinding(html, ofPage))
  const { finding, settings, tunnel } = await findTunnel(tunnelsOf(shown, ofPage))
  findings.push(finding)
  if (settings === undefined) return { findings, sent: undefined }
  const error = createTestError(settings)
  findings.push(...(await send(tunnel, settings, error)))
  return { findings, sent: error }
}

async function examineTracer(html: string, page: URL): Promise<Finding> {
  const sources = [...html.matchAll(SCRIPT)].map(([, source = ""]) => new URL(decoded(source), page))
  for (const source of sources.filter(({ host }) => host === page.host).slice(0, MAX_SCRIPTS)) {
    const response = await request(source, {}, REQUEST_LIMIT_MS)
    if (response?.ok && (await response.text()).includes("pagespan"))
      return { text: "the page loads Pagespan's tracer" }
  }
  return {
    text: "no script of the page holds Pagespan's tracer",
    fix: "wrap your configuration in withPagespan(…) from pagespan/next, with Next 16.3 or later, and build again",
  }
}

function serverFinding(html: string, settings: Settings | undefined): Finding {
  if (settings !== undefined) return { text: `the server traces as ${settings.service ?? "a service without a name"}` }
  return html.includes('<meta name="traceparent"')
    ? { text: "the page continues a trace without Pagespan's settings", fix: NOT_REGISTERED }
    : { text: "the page carries no settings: it is static, so it asks the tunnel for them" }
}

function settingsIn(html: string): Settings | undefined {
  const text = META.exec(html)?.[1]
  return text === undefined ? undefined : parsed(decoded(text))
}

/** The tunnel that the page names. A static page names none: with a `basePath`, it is below the page's first folder. */
function tunnelsOf(page: URL, settings: Settings | undefined): URL[] {
  if (settings?.tunnel !== undefined) return [new URL(settings.tunnel, page)]
  const [, base = ""] = page.pathname.split("/")
  const paths = base === "" ? [DEFAULT_TUNNEL] : [`/${base}${DEFAULT_TUNNEL}`, DEFAULT_TUNNEL]
  return paths.map((path) => new URL(path, page))
}

interface ExaminedTunnel {
  readonly tunnel: URL
  readonly finding: Finding
  /** `undefined` if it is not Pagespan's tunnel. */
  readonly settings?: Settings
}

async function findTunnel([tunnel = new URL("about:blank"), ...others]: readonly URL[]): Promise<ExaminedTunnel> {
  const examined = { tunnel, ...(await examineTunnel(tunnel)) }
  return examined.settings !== undefined || others.length === 0 ? examined : findTunnel(others)
}

async function examineTunnel(tunnel: URL): Promise<{ finding: Finding; settings?: Settings }> {
  const { pathname } = tunnel
  const response = await post(tunnel, SETTINGS_MEDIA_TYPE, "")
  if (response === undefined) return { finding: { text: `the tunnel ${pathname} does not answer`, fix: NO_ROUTE } }
  const { status, headers } = response
  const body = await response.text()
  const settings = status === 200 ? parsed(body) : undefined
  if (settings !== undefined) return { finding: { text: `the tunnel ${pathname} answers` }, settings }
  const answer = `the tunnel ${pathname} answers ${status}`
  if (status >= 300 && status < 400)
    return { finding: { text: `${answer} to ${headers.get("location") ?? "another address"}`, fix: REDIRECTED } }
  if (status === 503) return { finding: { text: `${answer}: ${body || "tracing is off"}`, fix: NOT_REGISTERED } }
  return { finding: { text: answer, fix: status === 404 || status === 405 ? NO_ROUTE : REDIRECTED } }
}

async function send(tunnel: URL, settings: Settings, error: TestError): Promise<Finding[]> {
  const envelope = await post(tunnel, "text/plain;charset=UTF-8", error.envelope)
  const spans = await post(tunnel, "application/json", error.spans)
  return [sentryFinding(envelope, settings, error), spanFinding(spans, error)]
}

function sentryFinding(response: Response | undefined, { dsn }: Settings, { eventId }: TestError): Finding {
  if (dsn === undefined)
    return {
      text: "the test error reached no Sentry",
      fix: "set SENTRY_DSN, for example with pagespan init --dsn, and install @sentry/nextjs",
    }
  const host = URL.canParse(dsn) ? new URL(dsn).host : "Sentry"
  if (response?.ok) return { text: `${host} accepted the test error, event ${eventId}` }
  const status = response === undefined ? "no answer" : `status ${response.status}`
  return {
    text: `the test error did not reach ${host}: ${status}`,
    fix: "check SENTRY_DSN, and that this host can reach it",
  }
}

function spanFinding(response: Response | undefined, { traceId }: TestError): Finding {
  if (response?.ok) return { text: `the tunnel took the test span, trace ${traceId}` }
  const status = response === undefined ? "no answer" : `status ${response.status}`
  return { text: `the tunnel refused the test span: ${status}`, fix: "look at the log of your app" }
}

function post(url: URL, type: string, body: string): Promise<Response | undefined> {
  const headers = { "content-type": type, origin: url.origin }
  return request(url, { method: "POST", body, headers, redirect: "manual" }, REQUEST_LIMIT_MS)
}

async function request(url: URL, options: RequestInit, limitMs: number): Promise<Response | undefined> {
  const headers = { "user-agent": COMMAND_USER_AGENT, ...(options.headers as Record<string, string> | undefined) }
  try {
    return await fetch(url, { ...options, headers, signal: AbortSignal.timeout(limitMs) })
  } catch {
    // Nothing listens there, or it does not answer in time. The caller reports it.
    return undefined
  }
}

function parsed(text: string): Settings | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    // Another program's answer.
    return undefined
  }
}

/** The text of an attribute in HTML that React wrote. */
function decoded(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
}
