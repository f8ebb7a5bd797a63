import type { SpanRecord } from "#otel/protocol/records/span.ts"
import type { RecordingCollector } from "#tests/support/recording-collector.ts"
import type { Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { PAGE_ERROR, type Visit } from "./visit.ts"

/** How many of the things that were looked at are right, and a line for each that is not. */
export interface Finding {
  readonly right: number
  readonly of: number
  readonly wrong: readonly string[]
}

export interface Comparison {
  /** Views whose HTML and document show the same as without Pagespan. */
  readonly html: Finding
  /** Lines of the console that only one of the two has. */
  readonly console: Finding
  /** Roots that have the name of the route that Next's router shows. */
  readonly names: Finding
  /** Page loads and navigations in one trace with the server's spans of them, if the server took part. */
  readonly traces: Finding
  /** Errors that arrived once, on the trace of their page. */
  readonly errors: Finding
}

/** Compares a visit of an app with a visit of the same app without Pagespan, of which two are needed to see what varies by itself. */
export async function compare(
  without: readonly [Visit, Visit],
  adopted: Visit,
  collector: RecordingCollector,
  sentry: RecordingSentry,
): Promise<Comparison> {
  const roots = await pageRoots(collector, adopted)
  return {
    html: compareViews(without, adopted),
    console: compareConsoles(without, adopted),
    names: compareNames(adopted, roots),
    traces: await compareTraces(adopted, roots, collector),
    errors: compareErrors(sentry),
  }
}

const isRoot = (span: SpanRecord) => /^(?:pageload|navigation)$/.test(opOf(span))

/** The roots of all pages in the order of their starts, as soon as there is one for each view. */
async function pageRoots(collector: RecordingCollector, visit: Visit): Promise<SpanRecord[]> {
  const sorted = () =>
    collector
      .spans()
      .filter(isRoot)
      .sort((a, b) => (a.startTime < b.startTime ? -1 : 1))
  const roots = () => rootsOfViews(sorted(), visit)
  await waitFor("a root for each view", () => roots().length >= visit.views.length).catch(() => undefined)
  return roots()
}

function compareViews([first, second]: readonly [Visit, Visit], adopted: Visit): Finding {
  const wrong: string[] = []
  let of = 0
  for (const [index, view] of first.views.entries()) {
    const again = second.views[index]
    const other = adopted.views[index]
    for (const part of ["html", "dom"] as const) {
      of += 1
      const difference = firstDifference(view[part], other?.[part] ?? "", again?.[part] ?? "")
      if (difference !== undefined) wrong.push(`${part} of ${view.path}: ${difference}`)
    }
  }
  return { right: of - wrong.length, of, wrong }
}

/** The first line that differs, unless it varies without Pagespan too. */
function firstDifference(text: string, other: string, again: string): string | undefined {
  const [lines, others, agains] = [text, other, again].map((each) => each.split("\n")) as [string[], string[], string[]]
  for (let index = 0; index < Math.max(lines.length, others.length); index++) {
    if (lines[index] === others[index] || lines[index] !== agains[index]) continue
    return `${lines[index]?.slice(0, 300)} ≠ ${others[index]?.slice(0, 300)}`
  }
  return undefined
}

function compareConsoles([first, second]: readonly [Visit, Visit], adopted: Visit): Finding {
  const all = new Set([...first.console, ...second.console])
  const added = adopted.console.filter((line) => !all.has(line)).map((line) => `only with Pagespan: ${line}`)
  const both = first.console.filter((line) => second.console.includes(line))
  const missing = both.filter((line) => !adopted.console.includes(line)).map((line) => `only without: ${line}`)
  const wrong = [...new Set([...added, ...missing])]
  return { right: all.size - missing.length, of: all.size + added.length, wrong }
}

/**
 * The roots of the views. A link for which the server wants a new document, as to a page of the `pages` folder, begins a
 * navigation that shows nothing, and the load of that document ends it.
 */
function rootsOfViews(roots: readonly SpanRecord[], { views }: Visit): SpanRecord[] {
  const found: SpanRecord[] = []
  for (const [index, root] of roots.entries()) {
    const next = roots[index + 1]
    const isHandedOver =
      views[found.length]?.kind === "pageload" &&
      opOf(root) === "navigation" &&
      root.attributes.get("pagespan.end_reason") === "page_left" &&
      next?.attributes.get("url.path") === root.attributes.get("url.path")
    if (!isHandedOver) found.push(root)
  }
  return found
}

const opOf = ({ attributes }: SpanRecord) => String(attributes.get("sentry.op"))

function compareNames({ views }: Visit, roots: readonly SpanRecord[]): Finding {
  const expected = views.map(({ kind, route }) => `${kind} ${route}`)
  const seen = roots.map((root) => `${root.attributes.get("sentry.op")} ${root.name}`)
  const wrong: string[] = []
  for (let index = 0; index < Math.max(expected.length, seen.length); index++)
    if (expected[index] !== seen[index])
      wrong.push(`${views[index]?.path}: ${expected[index]} by the router, ${seen[index]} by the page`)
  return { right: expected.length - wrong.length, of: expected.length, wrong }
}

async function compareTraces(
  { views }: Visit,
  roots: readonly SpanRecord[],
  collector: RecordingCollector,
): Promise<Finding> {
  const wrong: string[] = []
  let of = 0
  for (const [index, view] of views.entries()) {
    const root = roots[index]
    if (root === undefined || (!view.namesTrace && view.requestTraces.length === 0)) continue
    of += 1
    const foreign = view.requestTraces.filter((id) => id !== root.traceId)
    if (foreign.length > 0) wrong.push(`${view.kind} ${view.path}: requests with the trace ${foreign.join()}`)
    else {
      const isServers = (span: SpanRecord) => span.traceId === root.traceId && isOfServer(span)
      const found = await collector.waitForSpan(`of the server for ${view.path}`, isServers).catch(() => undefined)
      if (found === undefined) wrong.push(`${view.kind} ${view.path}: no span of the server`)
    }
  }
  return { right: of - wrong.length, of, wrong }
}

function isOfServer({ resource }: SpanRecord): boolean {
  return !String(resource.attributes.get("service.name")).endsWith("-browser")
}

/** Message of the error that the app's `/api/…` handler throws, which the comparison requests. */
export const SERVER_ERROR = "thrown by the server"

function compareErrors(sentry: RecordingSentry): Finding {
  const wrong: string[] = []
  for (const message of [PAGE_ERROR, SERVER_ERROR]) {
    const events = sentry.errors().filter((event) => messageOf(event)?.includes(message))
    if (events.length !== 1) wrong.push(`${message}: ${events.length} events`)
    else if (!hasTransaction(sentry, events[0]!)) wrong.push(`${message}: on a trace without a transaction`)
  }
  return { right: 2 - wrong.length, of: 2, wrong }
}

function hasTransaction(sentry: RecordingSentry, event: Payload): boolean {
  const trace = event["contexts"].trace.trace_id as string
  return sentry.transactions().some(({ contexts }) => contexts.trace.trace_id === trace)
}

function messageOf(event: Payload): string | undefined {
  return event["exception"]?.values.at(-1)?.value
}
