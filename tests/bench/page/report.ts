import { cpus, loadavg } from "node:os"
import { type Contender, type SpanFigures, versionOf } from "./contender.ts"
import type { LoadFigures } from "./load.ts"
import type { SessionFigures } from "./session.ts"
import { type Difference, isNoise, median, pairedDifference } from "./statistics.ts"
import type { Transfer } from "./transfer.ts"

interface Measured {
  readonly bare: Contender
  /** The bare app as if it were one more SDK. */
  readonly again: Contender
  readonly sdks: readonly Contender[]
  readonly spans: SpanFigures
  /** The machine and its load during the run. */
  readonly machine: string
}

/** One figure of each round; `NaN` for a round without it. */
type Figures = (contender: Contender) => number[]

interface Metric {
  readonly label: string
  readonly figures: Figures
  /** Divides a figure into the unit of the label. */
  readonly divisor?: number
  readonly digits: number
}

const KB = 1e3
const MB = 1e6

const TRANSFERRED: readonly Metric[] = [
  { label: "scripts of the first load, kB", figures: transfer("firstScripts"), divisor: KB, digits: 1 },
  { label: "all scripts, kB", figures: transfer("allScripts"), divisor: KB, digits: 1 },
  { label: "requests", figures: transfer("requests"), digits: 0 },
  { label: "of these, scripts", figures: transfer("scriptRequests"), digits: 0 },
  { label: "request bodies, kB", figures: transfer("sent"), divisor: KB, digits: 1 },
]

const START: Metric = {
  label: "start, ms",
  figures: ({ starts }) => starts.map((each) => each ?? Number.NaN),
  digits: 1,
}
const HEAP: Metric = { label: "heap after the load, MB", figures: load("heap"), divisor: MB, digits: 2 }
const FIRST_PAINT: Metric = { label: "first contentful paint, ms", figures: load("firstPaint"), digits: 0 }
const LARGEST_PAINT: Metric = { label: "largest contentful paint, ms", figures: load("largestPaint"), digits: 0 }

const LOADED: readonly Metric[] = [
  { label: "CPU of the main thread, ms", figures: load("cpu"), digits: 0 },
  FIRST_PAINT,
  LARGEST_PAINT,
  { label: "interaction to next paint, ms", figures: load("interaction"), digits: 0 },
  HEAP,
]

const STAYED: readonly Metric[] = [
  { label: "heap after 100 navigations, MB", figures: session("heap"), divisor: MB, digits: 2 },
  { label: "growth since the 40th, MB", figures: session("growth"), divisor: MB, digits: 2 },
]

const START_TARGET_MS = 4
const HEAP_TARGET_MB = 1

function transfer(name: keyof Transfer): Figures {
  return ({ transfers }) => transfers.map((each) => each?.[name] ?? Number.NaN)
}

function load(name: keyof LoadFigures): Figures {
  return ({ loads }) => loads.map((each) => each?.[name] ?? Number.NaN)
}

function session(name: keyof SessionFigures): Figures {
  return ({ sessions }) => sessions.map((each) => each?.[name] ?? Number.NaN)
}

/** Notes the load of the machine at the start, and describes both at the end. */
export function describeMachine(chromium: string): () => string {
  const before = loadOfMachine()
  return () =>
    `Chromium ${chromium} and the servers on one machine with ${cpus().length} cores, load average ${before} at the start and ${loadOfMachine()} at the end`
}

function loadOfMachine(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(1)
}

/** The whole page of the documentation. */
export function reportOf(measured: Measured): string {
  const { bare, again, sdks, spans } = measured
  const [pagespan] = sdks
  if (pagespan === undefined) throw new Error("Pagespan was not measured")
  const everyone = [bare, ...sdks]
  return `# Cost

What Pagespan and other SDKs cost a page, measured by one run of \`npm run bench:page -- --write\`, which writes this page. Figures
of an SDK are differences from the bare app.

${conditions(measured)}

## Targets

${targets(bare, pagespan)}

Budgets of bytes are a test: \`tests/sdk/browser/page-size.test.ts\` fails if Pagespan adds more than 18.7 kB to the first load of an
empty page, or 53.6 kB in all.

## Transferred

One visit: a page load, a click, a navigation, and the end of the page. Scripts are counted after \`gzip -9\`, 1 kB = 1,000 bytes,
each once; request bodies as they are sent. Pagespan sends to Sentry and to an OpenTelemetry collector, the others to one
destination. Its requests include one for the settings, since the page was rendered at build time.

${table(everyone, TRANSFERRED)}

## Start

The main thread's time from the SDK's first line until it has started: its modules run and \`init\` returns, before the page hydrates.
What an SDK does in later tasks is in the CPU time below. ${bare.starts.length} short visits of each build, in turns, each in a new browser context.

${table([...everyone, again], [START])}

## Load

${bare.loads.length} loads of each build, in turns, each in a new browser context.

${table([...everyone, again], LOADED)}

- **CPU of the main thread**: from the request of the page until four seconds after its load, with everything that the browser does for it.
- **heap**: JavaScript's, four seconds after the load, after two forced collections.
- **interaction to next paint**: the slowest of eight clicks on a button that sorts a list. The browser rounds to 8 ms.

## Long sessions

${bare.sessions.length === 1 ? "One session" : `${bare.sessions.length} sessions`} of 100 navigations between two routes with each build, in turns. The heap is read after two forced collections, six
seconds after the last navigation.

${table(everyone, STAYED)}

## Spans

Microseconds of the main thread to start and end one span with five attributes under an open root; the three in turns in one page.

| tracer | µs |
|---|---|
| Pagespan, with its bridge to Sentry | ${spans.pagespan.toFixed(1)} |
| OpenTelemetry's SDK without an exporter: the lower bound of any tracer on it | ${spans.sdk.toFixed(1)} |
| Sentry's \`startInactiveSpan\` and end | ${spans.sentry.toFixed(1)} |

Pagespan's span takes ${(spans.pagespan / spans.sentry).toFixed(2)} of the time of Sentry's. Everything else happens when its root ends.
${failuresOf(sdks)}`
}

function conditions({ machine }: Measured): string {
  return `- **The app** (\`tests/pages/cost\`): a static page with a list that it requests, and a dynamic page; Next ${versionOf("next")}, React
  ${versionOf("react")}, Turbopack, \`next start\`. All builds have the same source; each SDK is set up as its documentation says, with tracing on
  and nothing sampled out.
- **The SDKs**: \`@sentry/nextjs\` with \`withSentryConfig\` and without its debug log; Faro with \`getWebInstrumentations()\` and
  \`TracingInstrumentation\`; OpenTelemetry with \`instrumentation-fetch\`, \`instrumentation-document-load\` ${versionOf("@opentelemetry/instrumentation-document-load")}, the batch processor
  and the OTLP/HTTP exporter ${versionOf("@opentelemetry/exporter-trace-otlp-http")}. Pagespan has everything on: page spans, requests, errors, web vitals, Sentry and OTLP.
- **The machine**: ${machine}.
- **Noise**: a cell has the median of the differences round by round, and in parentheses the 95 % confidence interval of that median
  (sign test). A difference whose interval includes zero is noise. The column "bare app, again" is measured like an SDK and shows
  the noise itself. There is no interval for fewer than six rounds.`
}

function targets(bare: Contender, pagespan: Contender): string {
  const start = differenceOf(START, pagespan, bare)
  const heap = differenceOf(HEAP, pagespan, bare)
  const rows = [
    [`start in at most ${START_TARGET_MS} ms`, START, start.median <= START_TARGET_MS],
    [`heap after the load at most ${HEAP_TARGET_MB} MB over the bare app`, HEAP, heap.median <= HEAP_TARGET_MB],
    ...[FIRST_PAINT, LARGEST_PAINT].map(
      (metric) => [`${metric.label.replace(/,.*/, "")} within the noise`, metric, isAtMostNoise(metric)] as const,
    ),
  ] as const
  function isAtMostNoise(metric: Metric): boolean {
    const difference = differenceOf(metric, pagespan, bare)
    return isNoise(difference) || difference.median < 0
  }
  return markdown([
    ["target", "measured", "met"],
    ...rows.map(([target, metric, isMet]) => [
      target,
      shownDifference(differenceOf(metric, pagespan, bare), metric),
      isMet ? "yes" : "no",
    ]),
  ])
}

/** In the unit of the metric. */
function differenceOf({ figures, divisor = 1 }: Metric, contender: Contender, bare: Contender): Difference {
  const scaled = (each: Contender) => figures(each).map((figure) => figure / divisor)
  return pairedDifference(scaled(contender), scaled(bare))
}

/** The first contender with absolute figures, the others with their differences from it. */
function table([bare, ...others]: readonly Contender[], metrics: readonly Metric[]): string {
  if (bare === undefined) return ""
  return markdown([
    ["", bare.title, ...others.map(({ title }) => title)],
    ...metrics.map((metric) => {
      const { label, figures, divisor = 1, digits } = metric
      const absolute = median(figures(bare).filter((figure) => !Number.isNaN(figure))) / divisor
      const differences = others.map((each) => shownDifference(differenceOf(metric, each, bare), metric))
      return [label, absolute.toFixed(digits), ...differences]
    }),
  ])
}

function shownDifference({ median, interval }: Difference, { digits }: Metric): string {
  if (Number.isNaN(median)) return "failed"
  const text = signed(median, digits)
  return interval === undefined ? text : `${text} (${interval.map((bound) => signed(bound, digits)).join(" to ")})`
}

function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits)
  if (Number(text) === 0) return text
  return `${value < 0 ? "−" : "+"}${text}`
}

function markdown([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n")
}

function failuresOf(sdks: readonly Contender[]): string {
  const failed = sdks.filter(({ failures }) => failures.length > 0)
  if (failed.length === 0) return ""
  const lines = failed.map(({ title, failures }) => `- ${title}: ${failures.length} visits or builds failed`)
  return `\n## Failed\n\n${lines.join("\n")}\n`
}
