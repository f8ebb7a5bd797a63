import type { Browser, Page } from "playwright-core"
import type { Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import type { RecordedRequest } from "#tests/support/recording-server.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

const ERROR = "a button failed"
/** How long what must not arrive has time to arrive. */
const QUIET_MS = 1_000

/** What a visitor of the app `deployed` does. */
export interface DeployedVisit {
  /** Address of the home page. */
  readonly url: string
  /** Whether a server renders the pages for each visitor, and makes the data of a navigation. */
  readonly hasServer: boolean
  /** URL of the tunnel where it has another origin: everything must go through it, also what a page sends as it is left. */
  readonly tunnel?: string
}

/**
 * Loads the home page, follows its link and presses a button that fails.
 *
 * @returns what is wrong with what Sentry received: a line each.
 */
export async function visitDeployed(
  browser: Browser,
  sentry: RecordingSentry,
  { url, hasServer, tunnel }: DeployedVisit,
): Promise<string[]> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const problems: string[] = []
  page.on("console", (message) => {
    const isOwn = message.text().includes(ERROR)
    if (["warning", "error"].includes(message.type()) && !isOwn) problems.push(`console: ${message.text()}`)
  })
  page.on("pageerror", (error) => error.message === ERROR || problems.push(`page error: ${error.message}`))
  page.on("request", (request) => {
    const isElsewhere = new URL(request.url()).origin !== new URL(url).origin && request.url() !== tunnel
    if (tunnel !== undefined && isElsewhere) problems.push(`a request past the tunnel: ${request.url()}`)
  })
  sentry.clear()
  await page.goto(url)
  await page.getByRole("link", { name: "Seventh item" }).click()
  await page.getByRole("heading", { name: "Item 7" }).waitFor()
  await page.getByRole("button", { name: "Fail" }).click()
  await sentry.waitForError("of the button", isOfPage).catch((error: unknown) => problems.push(String(error)))
  await sentry.waitForTransaction("of the navigation", isRoot("navigation")).catch((error: unknown) => {
    problems.push(String(error))
  })
  await sleep(QUIET_MS)
  problems.push(...wrong(sentry.transactions(), sentry.errors(), hasServer))
  if (tunnel !== undefined) problems.push(...(await leftAtOnce(page, url, sentry)))
  await context.close()
  return problems
}

/** Loads a page and leaves it at once. @returns what did not arrive of it, at Sentry and at the collector. */
async function leftAtOnce(page: Page, url: string, sentry: RecordingSentry): Promise<string[]> {
  sentry.clear()
  await page.goto(url, { waitUntil: "load" })
  await page.goto("about:blank")
  try {
    const { contexts } = await sentry.waitForTransaction("of a page that is left", isRoot("pageload"))
    const { span_id } = contexts.trace
    await waitFor("its span", () => sentry.requests.some((each) => isBatchWith(each, span_id)))
    return []
  } catch (error) {
    return [String(error)]
  }
}

function isBatchWith({ path, body }: RecordedRequest, spanId: string): boolean {
  return path === "/v1/traces" && body.includes(`"spanId":"${spanId}"`)
}

const isOfPage = ({ exception }: Payload) => exception?.values?.at(-1)?.value === ERROR
const isRoot =
  (op: string) =>
  ({ contexts }: Payload) =>
    contexts?.trace?.op === op

function wrong(transactions: readonly Payload[], errors: readonly Payload[], hasServer: boolean): string[] {
  const lines: string[] = []
  const roots = (op: string) => transactions.filter(isRoot(op))
  const names = [...roots("pageload"), ...roots("navigation")].map(({ transaction }) => transaction as string)
  if (names.join() !== "/,/items/[id]") lines.push(`roots: ${names.join(", ") || "none"}`)
  const ofPage = errors.filter(isOfPage)
  if (ofPage.length !== 1) lines.push(`the error arrived ${ofPage.length} times`)
  const [navigation] = roots("navigation")
  if (ofPage[0]?.["contexts"]?.trace?.trace_id !== navigation?.["contexts"].trace.trace_id)
    lines.push("the error is not on the trace of its page")
  if (!hasServer) return lines
  for (const root of [...roots("pageload"), ...roots("navigation")]) {
    const { trace_id } = root["contexts"].trace
    const servers = transactions.filter(
      (each) => each["platform"] === "node" && each["contexts"].trace.trace_id === trace_id,
    )
    if (servers.length === 0) lines.push(`${root["transaction"]} has no server on its trace`)
  }
  return lines
}
