import { lookup } from "node:dns/promises"
import { resolve } from "node:path"
import type { Argv } from "yargs"
import { plain } from "../../protocol/line-text.ts"
import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"
import { type Collector, exporterEnvironment, findCollector } from "../doctor/collector.ts"
import { isAt, type NamedCollector, namedCollector } from "../named-collector.ts"
import type { Examination } from "../doctor/examine-app.ts"
import type { Finding } from "../doctor/finding.ts"
import type { StartedApp } from "../doctor/start-app.ts"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, withConnection } from "../options.ts"
import { countText } from "../terminal.ts"

/** The server exports in batches, and the inspector stores in batches. */
const ARRIVAL_LIMIT_MS = 15_000
const POLL_MS = 500
/** Where `next dev` and `next start` listen. */
const DEFAULT_ADDRESS = "http://localhost:3000"

export function doctorCommand(parser: Argv): Argv {
  return parser.command(
    "doctor [app]",
    "Check an app: open a page, send a test error, and say what arrived where",
    (command) =>
      withConnection(command)
        .positional("app", {
          type: "string",
          describe: "Address of a running app, or directory of one to start",
          defaultDescription: `${DEFAULT_ADDRESS} if it answers, else .`,
        })
        .option("browser", {
          type: "boolean",
          default: true,
          describe: "Open the page in an installed Chromium (CHROMIUM_PATH)",
        })
        .example("$0 doctor", "Starts the app of this directory, from its build if it has one")
        .example("$0 doctor https://shop.example/cart", "A deployed app, or a page of one"),
    (options) => doctor(options),
  )
}

interface Options extends Connection {
  readonly app?: string | undefined
  readonly browser: boolean
}

/** Where the spans of the app may be. */
interface Collectors {
  /** Where they are looked for. */
  readonly collector: Collector | undefined
  /** Where this command's environment makes an app that it starts export to. */
  readonly named: NamedCollector | undefined
}

/**
 * `pagespan doctor`: examines an app and prints what works and what is missing, with the fix.
 *
 * @throws {CommandError} when the app does not answer or start, or something is missing.
 */
export async function doctor({ app, browser, ...connection }: Options): Promise<void> {
  const target = await targetOf(app)
  const isStarted = !(target instanceof URL)
  const named = isStarted ? namedCollector(process.env) : undefined
  const collector = await findCollector(connection, isStarted && named === undefined)
  let started: StartedApp | undefined
  try {
    const findings: Finding[] = []
    if (isStarted) {
      const { directoryFindings } = await import("../doctor/directory-findings.ts")
      findings.push(...(await directoryFindings(target)))
      started = await start(target, named === undefined ? collector : undefined)
      findings.push({ text: `${started.how} started the app` })
    }
    const collectors = { collector, named }
    const running = { url: new URL(started?.url ?? target), log: started?.log }
    const problems = await examine(running, browser, collectors, connection, findings)
    if (problems === 0) return
    throw new CommandError(`${countText(problems, "problem")} found`, EXIT.failed)
  } finally {
    await started?.stop()
    await collector?.stop()
  }
}

/** Prints each finding. Returns how many are problems. */
async function examine(
  { url, log }: { readonly url: URL; readonly log: StartedApp["log"] | undefined },
  withBrowser: boolean,
  collectors: Collectors,
  connection: Connection,
  before: readonly Finding[],
): Promise<number> {
  const { examineApp } = await import("../doctor/examine-app.ts")
  const { findChromium } = await import("../doctor/chromium.ts")
  const browser = withBrowser ? findChromium() : undefined
  for (const finding of before) print(finding)
  const examination = await examineApp(url, browser, log)
  if (examination === undefined) throw new CommandError(await noAnswer(url, log), EXIT.unreachable)
  const { findings, traceId } = examination
  const none: Finding = {
    text: `${process.env["CHROMIUM_PATH"] === undefined ? "no Chromium is installed here" : "CHROMIUM_PATH names no file"}: the test error is sent without opening the page`,
    isNote: true,
  }
  const found = traceId === undefined ? undefined : await arrival(examination, collectors, connection)
  const after: readonly Finding[] = [
    ...(withBrowser && browser === undefined ? [none] : []),
    ...findings,
    ...(found ? [found] : []),
  ]
  for (const finding of after) print(finding)
  return [...before, ...after].filter(({ fix }) => fix !== undefined).length
}

/** @param log of an app that this command has started. */
async function noAnswer(url: URL, log: StartedApp["log"] | undefined): Promise<string> {
  const { hostname } = url
  if (!(await isResolved(hostname))) {
    const fix = hostname.endsWith(".localhost") ? ". Browsers take it for this machine: add it to the hosts file" : ""
    return `No app answers at ${url.href}: ${hostname} has no address here${fix}`
  }
  if (log === undefined) return `No app answers at ${url.href}: start it, for example with npm run dev`
  return [`Your app does not answer at ${url.href}:`, ...log()].join("\n")
}

function isResolved(hostname: string): Promise<boolean> {
  return lookup(hostname.replaceAll(/[[\]]/g, "")).then(
    () => true,
    () => false,
  )
}

/** An address, or the directory of an app. @throws {CommandError} if it is neither. */
async function targetOf(app: string | undefined): Promise<URL | string> {
  if (app !== undefined && /^https?:/.test(app) && URL.canParse(app)) return new URL(app)
  const { findApp } = await import("../init/app-files.ts")
  if (app === undefined && (await answers(DEFAULT_ADDRESS))) return new URL(DEFAULT_ADDRESS)
  const directory = resolve(app ?? ".")
  if (findApp(directory) !== undefined) return directory
  if (app === undefined)
    throw new CommandError(
      `No app answers at ${DEFAULT_ADDRESS}, and this is not the directory of one: name its address`,
      EXIT.unreachable,
    )
  throw new CommandError(
    `${JSON.stringify(app)} is not the address of an app, like ${DEFAULT_ADDRESS}, nor the directory of one`,
    EXIT.usage,
  )
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(ARRIVAL_LIMIT_MS) }).then(
    () => true,
    () => false,
  )
}

/** Starts the app, which exports to the collector if there is one, whatever its `.env` files say. */
async function start(directory: string, collector: Collector | undefined): Promise<StartedApp> {
  const { startApp } = await import("../doctor/start-app.ts")
  console.error("Starting your app …")
  return startApp(directory, collector === undefined ? {} : exporterEnvironment(collector.url))
}

function print({ text, fix, isNote }: Finding): void {
  const verdict = isNote ? "note   " : fix === undefined ? "ok     " : "problem"
  console.log(`${verdict}  ${plain(text)}`)
  for (const line of fix?.split("\n") ?? []) console.log(`         ${line}`)
}

/** Looks for the trace where the app's collector should have it, or its DSN, which may be the inspector. */
async function arrival(
  { traceId = "", services }: Examination,
  { collector, named }: Collectors,
  { url }: Connection,
): Promise<Finding> {
  const entries = collector === undefined ? [] : await arrivedEntries(collector, traceId, services)
  if (collector !== undefined && entries.length > 0)
    return { text: `${collector.name} has the trace ${traceId}: ${entries.join(", ")}` }
  if (named !== undefined && (collector === undefined || !isAt(named, collector.url))) {
    // Without user, password and query.
    const { origin, pathname } = named.url
    const place = `${named.variable} names the collector at ${origin}${pathname}`
    const looked = collector === undefined ? "" : `, and ${collector.name} at ${collector.url} does not have it`
    return { text: `${place}: doctor did not look there for the trace ${traceId}${looked}`, isNote: true }
  }
  if (collector === undefined)
    return { text: `no inspector answers at ${url}, so nothing was looked for there`, isNote: true }
  return {
    text: `${collector.name} at ${collector.url} does not have the trace ${traceId}`,
    fix: `start the app with OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}`,
  }
}

/** Waits until each service has arrived. Returns those that have, by their first spans. */
async function arrivedEntries(collector: Collector, traceId: string, services: number): Promise<readonly string[]> {
  const deadline = Date.now() + ARRIVAL_LIMIT_MS
  let spans: readonly SpanRecord[] = []
  let entries: readonly string[] = []
  for (let isComplete = false; !isComplete && Date.now() < deadline;) {
    await new Promise((later) => setTimeout(later, POLL_MS))
    const before = spans.length
    spans = await collector.spansOf(traceId)
    entries = entriesOf(spans)
    // A service sends a trace in several batches.
    isComplete = entries.length >= services && spans.length === before
  }
  return entries
}

/** The first span of each service in the trace that has no parent in it: `GET / of shop`. */
function entriesOf(spans: readonly SpanRecord[]): string[] {
  const services = new Map(spans.map((span) => [span.spanId, serviceName(span.resource)]))
  const first = new Map<string, SpanRecord>()
  for (const span of spans.toSorted((a, b) => Number(a.startTime - b.startTime))) {
    const service = serviceName(span.resource)
    const isEntry = span.parentSpanId === undefined || services.get(span.parentSpanId) !== service
    if (isEntry && !first.has(service)) first.set(service, span)
  }
  return [...first].map(([service, { name }]) => `${name} of ${service}`)
}
