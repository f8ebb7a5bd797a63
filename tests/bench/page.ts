import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { launchWholeBrowser } from "#tests/support/chromium.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { Contender } from "./page/contender.ts"
import { startContenders } from "./page/contenders.ts"
import { measureLoad, measureStart } from "./page/load.ts"
import { describeMachine, reportOf } from "./page/report.ts"
import { measureSession } from "./page/session.ts"
import { measureSpans } from "./page/spans.ts"
import { measureTransfer } from "./page/transfer.ts"

/**
 * Measures what Pagespan costs a page, beside other SDKs and a bare app, and prints the page of the documentation:
 *
 *     npm run bench:page -- --starts 41 --rounds 15 --sessions 7 --write
 */

const PAGE = "docs/reference/cost.md"
/** Typical seconds of one visit, for the estimate. */
const START_S = 1
const LOAD_S = 7
const SESSION_S = 30
const TRANSFER_S = 17
const SPANS_S = 45
/** Default limit, as a multiple of the estimate: a busy machine takes longer. */
const OVERRUN = 3

const { values } = parseArgs({
  options: {
    /** Starts of each build. An interval needs six. */
    starts: { type: "string", default: "41" },
    /** Loads of each build. An interval needs six. */
    rounds: { type: "string", default: "15" },
    /** Sessions of 100 navigations with each build. An interval needs six. */
    sessions: { type: "string", default: "7" },
    /** No round begins after that. Default: `OVERRUN` times the estimate. */
    minutes: { type: "string" },
    /** Writes the page of the documentation. */
    write: { type: "boolean", default: false },
  },
})
const starts = Number(values.starts)
const rounds = Number(values.rounds)
const sessions = Number(values.sessions)

const sentry = await new RecordingSentry().listen()
const collector = await new RecordingCollector().listen()
const browser = await launchWholeBrowser()
const environment = { SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
const { list: contenders, stop } = await startContenders(environment)
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)))
try {
  const [bare, ...sdks] = contenders
  if (bare?.origin === undefined) throw new Error("there is no bare app to compare with")
  const again = new Contender("bare app, again", bare.origin)
  const seconds =
    (contenders.length + 1) * (starts * START_S + rounds * LOAD_S) +
    contenders.length * (sessions * SESSION_S + TRANSFER_S) +
    SPANS_S
  const limit = Number(values.minutes ?? Math.ceil((seconds * OVERRUN) / 60))
  const deadline = Date.now() + limit * 60_000
  console.info(`measures for about ${Math.ceil(seconds / 60)} minutes; begins no round after ${limit}`)
  const machine = describeMachine(browser.version())

  for (const each of contenders) await each.measure(each.transfers, (origin) => measureTransfer(browser, origin))
  const spans = await measureSpans(browser, sentry.dsn)
  // The first load of each server is not typical.
  for (const each of contenders) await each.measure([], (origin) => measureLoad(browser, origin))
  await inTurns("starts", starts, deadline, [...contenders, again], (each) =>
    each.measure(each.starts, (origin) => measureStart(browser, origin)),
  )
  await inTurns("sessions", sessions, deadline, contenders, (each) =>
    each.measure(each.sessions, (origin) => measureSession(browser, origin)),
  )
  await inTurns("loads", rounds, deadline, [...contenders, again], (each) =>
    each.measure(each.loads, (origin) => measureLoad(browser, origin)),
  )
  const report = reportOf({ bare, again, sdks, spans, machine: machine() })
  console.info(report)
  // Another SDK may be missing on the page, Pagespan and what it is compared with may not.
  const failures = [bare, ...sdks.slice(0, 1)].flatMap((each) => each.failures)
  if (failures.length > 0) throw new Error(`nothing is written: ${failures.join("\n")}`)
  if (values.write) writeFileSync(PAGE, report)
} finally {
  await stop()
  await browser.close()
  await sentry.close()
  await collector.close()
}

/** Interleaves the contenders, each round in another order, so that changing load affects all of them alike. */
async function inTurns(
  what: string,
  times: number,
  deadline: number,
  list: readonly Contender[],
  measure: (contender: Contender) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < times; round++) {
    if (Date.now() > deadline) return console.warn(`out of time after ${round} of ${times} rounds of ${what}`)
    console.info(`${what}: round ${round + 1} of ${times}`)
    const first = round % list.length
    for (const contender of [...list.slice(first), ...list.slice(0, first)]) await measure(contender)
    sentry.clear()
    collector.clear()
  }
}
