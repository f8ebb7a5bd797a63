import { SETTINGS_MEDIA_TYPE } from "../../protocol/page-settings.ts"
import { policyFindings } from "./content-policy.ts"
import type { Finding } from "./finding.ts"
import { NO_SENTRY, pageFindings } from "./page-findings.ts"
import { request, requestPage } from "./requests.ts"
import { parsedSettings, settingsIn, type Settings, unescaped } from "./settings.ts"
import { createTestError, TEST_MESSAGE, type TestError } from "./test-error.ts"

export interface Examination {
  readonly findings: readonly Finding[]
  /** The trace of what was sent, if anything was. */
  readonly traceId: string | undefined
  /** How many services the trace has: the page's, and the server's if it rendered the page for this visitor. */
  readonly services: number
}

/** `next dev` compiles a page, and the tunnel, on the first request. */
const COMPILED_LIMIT_MS = 60_000
const SCRIPT_LIMIT_MS = 15_000
const MAX_SCRIPTS = 60
const DEFAULT_TUNNEL = "/monitoring"
const SCRIPT = /\bsrc="([^"]+)"/g
const REDIRECTED = `exclude the tunnel from the matcher of proxy or middleware; pagespan init does`
const NO_ROUTE = `add the route handler: export { POST } from "pagespan/tunnel" in app${DEFAULT_TUNNEL}/route.ts`
const ZONE = 'give each zone a tunnel below its own path: withPagespan(…, { tunnelRoute: "/blog/monitoring" })'
const EVERYBODY = "name a page that everybody may see"
const NOT_REGISTERED =
  "call register of pagespan/server in instrumentation. If it is called, OTEL_SDK_DISABLED is set or the app has two copies of @opentelemetry/api"

/**
 * Examines a running app as a visitor of it would: loads the page, asks the tunnel for its settings, opens the page in a browser
 * and throws a test error in it. Without a browser it sends the error through the tunnel itself.
 *
 * @param browser path of the browser.
 * @param log what the app has written, if this command started it.
 * @returns `undefined` if nothing answers at the address.
 */
export async function examineApp(
  url: URL,
  browser: string | undefined,
  log?: () => readonly string[],
): Promise<Examination | undefined> {
  const response = await requestPage(url, COMPILED_LIMIT_MS)
  if (response === undefined) return undefined
  const html = await response.text()
  const shown = new URL(response.url)
  const ofPage = settingsIn(html)
  const tunnel = ownTunnel(await findTunnel(tunnelsOf(shown, ofPage)), ofPage)
  const settings = tunnel.settings ?? ofPage
  const connections = { page: shown, tunnel: tunnel.settings && tunnel.address, dsn: settings?.dsn }
  const findings: Finding[] = [
    statusFinding(response, log),
    await examineTracer(html, shown),
    serverFinding(html, ofPage),
    tunnel.finding,
    ...(settings === undefined ? [] : samplingFindings(settings)),
    ...policyFindings(response.headers.get("content-security-policy"), connections),
  ]
  const services = ofPage === undefined ? 1 : 2
  if (browser !== undefined) return { ...(await inBrowser(browser, url, settings, findings)), services }
  if (tunnel.settings === undefined) return { findings, traceId: undefined, services: 0 }
  const error = createTestError(tunnel.settings)
  findings.push(...(await send(tunnel.address, tunnel.settings, error)))
  return { findings, traceId: error.traceId, services: 1 }
}

async function inBrowser(
  browser: string,
  url: URL,
  settings: Settings | undefined,
  findings: Finding[],
): Promise<Omit<Examination, "services">> {
  const { openPage } = await import("./open-page.ts")
  const page = await openPage(browser, url, TEST_MESSAGE).catch((error: unknown) => String(error))
  if (typeof page === "string") {
    findings.push({ text: `the browser did not open the page: ${page}`, fix: "set CHROMIUM_PATH to another browser" })
    return { findings, traceId: undefined }
  }
  const seen = pageFindings(page, url, settings, TEST_MESSAGE)
  return { findings: [...findings, ...seen.findings], traceId: seen.traceId }
}

function statusFinding({ status, headers }: Response, log?: () => readonly string[]): Finding {
  const text = `the page answers ${status}`
  if (status >= 500) {
    const lines = log?.() ?? []
    const end = lines.length === 0 ? "" : ["", ...lines].join("\n  ")
    return { text, fix: `look at the log of your app${end}` }
  }
  const location = headers.get("location")
  if (status >= 300 && status < 400 && location !== null)
    return { text: `the page redirects without end, at last to ${location}`, fix: EVERYBODY }
  if (status === 404) return { text, fix: "name a page that exists, with the basePath of next.config if there is one" }
  if (status === 401 || status === 403) return { text, fix: EVERYBODY }
  return { text }
}

function samplingFindings({ sampleRate = 1 }: Settings): Finding[] {
  if (sampleRate === 0)
    return [
      {
        text: "no trace is sampled, so only errors arrive",
        fix: "set OTEL_TRACES_SAMPLER_ARG to a ratio above 0, or OTEL_TRACES_SAMPLER to always_on",
      },
    ]
  return sampleRate === 1 ? [] : [{ text: `${Number((sampleRate * 100).toPrecision(3))} % of the traces are sampled` }]
}

async function examineTracer(html: string, page: URL): Promise<Finding> {
  const sources = [...html.matchAll(SCRIPT)].map(([, source = ""]) => new URL(unescaped(source), page))
  for (const source of sources.slice(0, MAX_SCRIPTS)) {
    const response = await request(source, {}, SCRIPT_LIMIT_MS)
    if (response?.ok && (await response.text()).includes("pagespan"))
      return { text: "the page loads Pagespan's tracer" }
  }
  return {
    text: "no script of the page holds Pagespan's tracer",
    fix: "wrap your configuration in withPagespan(…) from pagespan/next, add what the build names, and build again",
  }
}

function serverFinding(html: string, settings: Settings | undefined): Finding {
  if (settings !== undefined)
    return {
      text: `the page has the settings of the server, and traces as ${settings.service ?? "a service without a name"}`,
    }
  return html.includes('<meta name="traceparent"')
    ? { text: "the page continues a trace without Pagespan's settings", fix: NOT_REGISTERED }
    : { text: "the page carries no settings: it is static, so it asks the tunnel for them" }
}

/** The tunnel that the page names. A static page names none: with a `basePath`, it is below the page's first folder. */
function tunnelsOf(page: URL, settings: Settings | undefined): URL[] {
  if (settings?.tunnel !== undefined) return [new URL(settings.tunnel, page)]
  const [, base = ""] = page.pathname.split("/")
  const paths = base === "" ? [DEFAULT_TUNNEL] : [`/${base}${DEFAULT_TUNNEL}`, DEFAULT_TUNNEL]
  return paths.map((path) => new URL(path, page))
}

interface ExaminedTunnel {
  readonly address: URL
  readonly finding: Finding
  /** `undefined` if it is not Pagespan's tunnel. */
  readonly settings?: Settings
}

async function findTunnel([address = new URL("about:blank"), ...others]: readonly URL[]): Promise<ExaminedTunnel> {
  const examined = { address, ...(await examineTunnel(address)) }
  return examined.settings !== undefined || others.length === 0 ? examined : findTunnel(others)
}

/** The tunnel, unless it has the settings of another app: of several zones on one origin, one serves the path. */
function ownTunnel(tunnel: ExaminedTunnel, ofPage: Settings | undefined): ExaminedTunnel {
  const { address, settings } = tunnel
  if (ofPage === undefined || settings === undefined) return tunnel
  const isOfService = settings.service === ofPage.service
  const isOfProject = settings.dsn === undefined || ofPage.dsn === undefined || settings.dsn === ofPage.dsn
  if (isOfService && isOfProject) return tunnel
  const other = isOfService ? "has another DSN" : `is ${settings.service ?? "one without a name"}`
  return { address, finding: { text: `the tunnel ${address.pathname} is another app's, which ${other}`, fix: ZONE } }
}

async function examineTunnel(tunnel: URL): Promise<{ finding: Finding; settings?: Settings }> {
  const { pathname } = tunnel
  const response = await post(tunnel, SETTINGS_MEDIA_TYPE, "")
  if (response === undefined) return { finding: { text: `the tunnel ${pathname} does not answer`, fix: NO_ROUTE } }
  const { status, headers } = response
  const body = await response.text()
  const settings = status === 200 ? parsedSettings(body) : undefined
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
  if (dsn === undefined) return NO_SENTRY
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
  return request(url, { method: "POST", body, headers, redirect: "manual" }, COMPILED_LIMIT_MS)
}
