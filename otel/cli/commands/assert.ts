import type { Argv } from "yargs"
import type { TraceSummaryJson } from "../../inspector/queries/list/trace-summary.ts"
import { CommandError, EXIT, reportError } from "../exit.ts"
import { type Comparison, type Connection, parseComparison, parseDuration, withConnection } from "../options.ts"
import { duration, traceLine } from "../terminal.ts"

export function assertCommand(parser: Argv): Argv {
  return parser.command(
    "assert [filter]",
    "Check in a test which traces arrived, or budgets: exit code 1 when the assertion does not hold",
    (command) =>
      withBudgets(
        withConnection(command)
          .positional("filter", {
            type: "string",
            describe: "A filter, in the filter language; of budgets by default all",
          })
          .option("count", { type: "string", default: ">=1", describe: "Expected traces: '>=1', '0', '<5', '3..5'" })
          .option("max-duration", { type: "string", describe: "No trace may take longer, like 500ms" })
          .option("within", {
            type: "string",
            default: "10s",
            describe: "Time to wait until it holds; an upper bound on the count must hold all that time",
          })
          .option("since", { type: "string", describe: "Only traces that started since then, like 5m" })
          .example("$0 assert 'route:/checkout' --max-duration 2s", "At least one trace, none slower than 2 s")
          .example("$0 assert 'run:e2e status:error' --count 0 --within 3s", "No failed trace in a run"),
      ),
    async ({ "--": words = [], ...options }) => {
      if (options.budgets === undefined) return assertTraces(options)
      const { assertBudgets } = await import("./assert-budgets.ts")
      const { filter = "", budgets, file = [] } = options
      const command = words as string[]
      process.exit(await assertBudgets({ ...options, filter, budgets, file, command }).catch(reportError))
    },
  )
}

const OF_BUDGETS = "Budgets:"

function withBudgets<Options>(command: Argv<Options>) {
  return command
    .option("budgets", { type: "string", describe: "Check the limits of a file. Default: pagespan.budgets.json" })
    .option("file", { type: "string", array: true, describe: "Measure these recordings" })
    .option("repeat", {
      type: "number",
      default: 1,
      describe: "Run the program behind -- up to this often, until no limit is undecided",
    })
    .option("strict", { type: "boolean", default: false, describe: "An undecided limit fails" })
    .option("junit", { type: "string", describe: "Write JUnit XML to this file" })
    .option("sarif", { type: "string", describe: "Write SARIF to this file" })
    .option("markdown", { type: "string", describe: "Write a summary for a pull request to this file" })
    .group(["budgets", "file", "repeat", "strict", "junit", "sarif", "markdown"], OF_BUDGETS)
    .implies({ file: "budgets", junit: "budgets", sarif: "budgets", markdown: "budgets" })
    .example("$0 assert 'run:e2e' --budgets", "The limits of pagespan.budgets.json, on a running inspector")
    .example("$0 assert --budgets --file pr.gz main.gz", "On recordings, without an inspector")
    .example("$0 assert --budgets --repeat 5 -- npm test", "On what a program reports, until the limits are decided")
}

interface AssertOptions extends Connection {
  readonly filter?: string | undefined
  /** Like `>=1`, `0` or `3..5`. */
  readonly count: string
  readonly maxDuration?: string | undefined
  readonly within: string
  readonly since?: string | undefined
}

const POLL_MS = 200
const MAX_SHOWN_TRACES = 10

/**
 * `pagespan assert`: succeeds as soon as further traces cannot break the assertion, or when the time is up.
 *
 * @throws {CommandError} with code 1 and the traces that were found, when the assertion does not hold.
 */
async function assertTraces({ filter, count, maxDuration, within, since, ...connection }: AssertOptions) {
  if (filter === undefined)
    throw new CommandError("assert needs a filter, like: pagespan assert 'route:/checkout', or --budgets", EXIT.usage)
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  const expected = parseComparison(count)
  const longest = maxDuration === undefined ? undefined : parseDuration(maxDuration, "--max-duration")
  const deadline = Date.now() + parseDuration(within, "--within") / 1e6
  const fail = (problem: string, traces: readonly TraceSummaryJson[]) => failure(filter, problem, traces)
  for (;;) {
    const traces = await client.matchingTraces(filter, since)
    const slow = traces.filter(({ durationNano }) => longest !== undefined && Number(durationNano) > longest)
    const isOver = Date.now() >= deadline
    if (slow.length > 0) throw fail(`${slow.length} took longer than ${duration(longest ?? 0)}`, slow)
    if (traces.length > expected.most) throw fail(`found ${traces.length}, expected ${expected.text}`, traces)
    if (holds(expected, traces.length) && (isOver || expected.most === Infinity))
      return console.log(`ok: ${traces.length} ${traces.length === 1 ? "trace matches" : "traces match"} ${filter}`)
    if (isOver) throw fail(`found ${traces.length} within ${within}, expected ${expected.text}`, traces)
    await new Promise((later) => setTimeout(later, POLL_MS))
  }
}

function failure(filter: string, problem: string, traces: readonly TraceSummaryJson[]): CommandError {
  const shown = traces.slice(0, MAX_SHOWN_TRACES).map((trace) => `\n  ${traceLine(trace)}`)
  const more = traces.length > MAX_SHOWN_TRACES ? `\n  and ${traces.length - MAX_SHOWN_TRACES} more` : ""
  return new CommandError(`Traces that match ${filter}: ${problem}${shown.join("")}${more}`, EXIT.failed)
}

function holds({ least, most }: Comparison, count: number): boolean {
  return count >= least && count <= most
}
