import type { Finding } from "./finding.ts"
import type { Delivery, OpenedPage } from "./open-page.ts"
import type { Settings } from "./settings.ts"

/** What a page in a browser showed. */
export interface PageFindings {
  readonly findings: readonly Finding[]
  /** The trace of the page, if it sent one. */
  readonly traceId: string | undefined
  /** Whether it sent spans and the collector behind the tunnel, or the inspector, accepted them. */
  readonly hasSentSpans: boolean
}

interface SentSpan {
  readonly traceId: string
  readonly name: string
  readonly attributes?: readonly { readonly key: string; readonly value?: { readonly stringValue?: string } }[]
}

const REDIRECTED = "exclude the tunnel from the matcher of proxy or middleware; pagespan init does"

/** Of an app that gives its pages no DSN. It has one, but gives it to no page, if it was built without Sentry's packages. */
export const NO_SENTRY: Finding = {
  text: "the test error reached no Sentry",
  fix: "set SENTRY_DSN, for example with pagespan init --dsn. If it is set, the app was built without Sentry's packages: install @sentry/nextjs, and build again",
}

/**
 * Says what a page that was opened sent, to whom and under which names.
 *
 * @param url of the page.
 * @param message of the test error.
 */
export function pageFindings(
  page: OpenedPage,
  url: URL,
  settings: Settings | undefined,
  message: string,
): PageFindings {
  const spans = page.deliveries.filter(({ kind }) => kind === "spans")
  const root = spans.flatMap(({ body }) => spansIn(body)).find((span) => operationOf(span) === "pageload")
  const error = page.deliveries.find(({ kind, body }) => kind === "envelope" && body.includes(message))
  const transaction = page.deliveries.find(
    ({ kind, body }) => kind === "envelope" && body.includes('"type":"transaction"'),
  )
  const why = page.blocked.length > 0 ? "change the content security policy, as above" : whyNothing(settings)
  return {
    traceId: root?.traceId ?? traceIn(error),
    hasSentSpans: spans.some(isAccepted),
    findings: [
      ...blockedFindings(page.blocked, [url.origin, originOf(settings?.dsn)]),
      ...page.errors.slice(0, 3).map((text): Finding => ({ text: `the page throws by itself: ${text}`, isNote: true })),
      spanFinding(root, spans, why),
      errorFinding(error, settings, why),
      ...(transaction === undefined ? [] : [transactionFinding(transaction)]),
    ],
  }
}

function spanFinding(root: SentSpan | undefined, sent: readonly Delivery[], why: string): Finding {
  const [first] = sent
  if (first === undefined) return { text: "the page sent no span", fix: why }
  const name = root === undefined ? "spans" : `the page load ${root.name}`
  const refused = sent.find((each) => !isAccepted(each))
  if (refused === undefined) return { text: `the page sent ${name} to ${placeOf(first)}` }
  return { text: `the page sent ${name}, and ${placeOf(refused)} ${answerOf(refused)}`, fix: fixOf(refused) }
}

function errorFinding(error: Delivery | undefined, settings: Settings | undefined, why: string): Finding {
  if (error === undefined && settings?.dsn === undefined) return NO_SENTRY
  if (error === undefined) return { text: "the page did not send the test error", fix: why }
  const host = hostOf(settings?.dsn)
  if (isAccepted(error)) return { text: `${host} accepted the test error, event ${eventIn(error) ?? "without an id"}` }
  return { text: `the test error did not reach ${host}: ${placeOf(error)} ${answerOf(error)}`, fix: fixOf(error) }
}

function transactionFinding(transaction: Delivery): Finding {
  const name = /"transaction":"([^"]*)"/.exec(transaction.body)?.[1] ?? "without a name"
  return isAccepted(transaction)
    ? { text: `Sentry accepted the transaction ${name}` }
    : { text: `Sentry did not accept the transaction ${name}: ${answerOf(transaction)}`, fix: fixOf(transaction) }
}

/** The first address in the browser's words is what it blocked. An inline script has none. */
const BLOCKED_ADDRESS = /'([a-z][a-z0-9+.-]*:[^']*)'/i
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/** @param own origins that Pagespan's code comes from or sends to. An inspector on loopback is another. */
function blockedFindings(blocked: readonly string[], own: readonly (string | undefined)[]): Finding[] {
  const isOwn = (text: string) => {
    const address = BLOCKED_ADDRESS.exec(text)?.[1]
    const origin = originOf(address)
    return address === undefined || own.includes(origin) || LOOPBACK.test(origin ?? "")
  }
  const others = blocked.filter((text) => !isOwn(text))
  return [...blocked.filter(isOwn).map(blockedFinding), ...others.slice(0, 3).map(foreignFinding)]
}

function foreignFinding(text: string): Finding {
  return { text: `the content security policy blocks what is not Pagespan's: ${text.slice(0, 200)}`, isNote: true }
}

function originOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined
}

function blockedFinding(text: string): Finding {
  const directive = /directive: "([a-z-]+)/.exec(text)?.[1] ?? "connect-src"
  return {
    text: `the content security policy blocks: ${text.slice(0, 200)}`,
    fix: `allow it in ${directive}: 'self' for the tunnel, or the host of the DSN`,
  }
}

function whyNothing(settings: Settings | undefined): string {
  if (settings?.sampleRate === 0)
    return "OTEL_TRACES_SAMPLER_ARG or OTEL_TRACES_SAMPLER selects no trace: raise the ratio"
  return 'look at the console of the page in a browser. With consent: "required" it sends nothing before grantConsent()'
}

function fixOf({ status }: Delivery): string {
  if (status === undefined) return "check that the page may connect there: content security policy, and the network"
  if (status === 404 || status === 405) return 'add the route handler: export { POST } from "pagespan/tunnel"'
  if (status >= 300 && status < 400) return REDIRECTED
  if (status === 401 || status === 403)
    return "check SENTRY_DSN: its key or its project is unknown, or the page's origin is not allowed"
  if (status === 429) return "Sentry's quota or the tunnel's limit is reached: wait, or raise it"
  return "check SENTRY_DSN, and that this host can reach it; look at the log of your app"
}

function isAccepted({ status }: Delivery): boolean {
  return status !== undefined && status >= 200 && status < 300
}

function answerOf({ status, failure }: Delivery): string {
  return status === undefined ? `did not answer (${failure ?? "no answer"})` : `answered ${status}`
}

function placeOf({ url }: Delivery): string {
  const { host, pathname } = new URL(url)
  return pathname.endsWith("/envelope/") || pathname.startsWith("/v1/") ? host : pathname
}

function hostOf(dsn: string | undefined): string {
  return dsn !== undefined && URL.canParse(dsn) ? new URL(dsn).host : "Sentry"
}

function eventIn({ body }: Delivery): string | undefined {
  return /"event_id":"([0-9a-f]{32})"/.exec(body)?.[1]
}

function traceIn(delivery: Delivery | undefined): string | undefined {
  return /"trace_id":"([0-9a-f]{32})"/.exec(delivery?.body ?? "")?.[1]
}

function operationOf({ attributes = [] }: SentSpan): string | undefined {
  return attributes.find(({ key }) => key === "sentry.op")?.value?.stringValue
}

function spansIn(body: string): SentSpan[] {
  try {
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  } catch {
    // A body that the browser reports in part.
    return []
  }
}
