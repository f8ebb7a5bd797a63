import type { Argv } from "yargs"
import type { TraceSummaryJson } from "../../inspector/queries/list/trace-summary.ts"
import { type Comparison, parseComparison, parseDuration } from "../comparison.ts"
import { type Connection, withConnection } from "../connection.ts"
import { CommandError, EXIT } from "../exit.ts"
import { matchingTraces } from "../filter.ts"
import { InspectorClient } from "../inspector-client.ts"
import { duration, traceLine } from "../text.ts"

export function assertCommand(parser: Argv): Argv {
  return parser.command(
    "assert <filter>",
    "Check in a test which traces have come: exit code 1 when it does not hold",
    (command) =>
      withConnection(command)
        .positional("filter", { type: "string", demandOption: true, describe: "Which traces, in the filter language" })
        .option("count", { type: "string", default: ">=1", describe: "How many: '>=1', '0', '<5', '3..5'" })
        .option("max-duration", { type: "string", describe: "None longer than this, like 500ms" })
        .option("within", {
          type: "string",
          default: "10s",
          describe: "How long to wait for it; what may not come is watched for as long",
        })
        .option("since", { type: "string", describe: "Only traces that began since, like 5m" })
        .example("$0 assert 'route:/checkout' --max-duration 2s", "At least one, none slower")
        .example("$0 assert 'run:e2e status:error' --count 0 --within 3s", "No failed trace in a run"),
    async (options) => {
      const { assertTraces } = await import("./assert.ts")
      await assertTraces(options)
    },
  )
}

export interface AssertOptions extends Connection {
  readonly filter: string
  /** Like `>=1`, `0` or `3..5`. */
  readonly count: string
  readonly maxDuration?: string | undefined
  readonly within: string
  readonly since?: string | undefined
}

const AGAIN_MS = 200
const SHOWN = 10

/**
 * `pagespan assert`: holds as soon as enough traces have come that more could not change it, or when the time is over.
 *
 * @throws {CommandError} with code 1 and the traces that were found, when it does not hold.
 */
export async function assertTraces({ filter, count, maxDuration, within, since, ...connection }: AssertOptions) {
  const client = new InspectorClient(connection)
  const wanted = parseComparison(count)
  const longest = maxDuration === undefined ? undefined : parseDuration(maxDuration, "--max-duration")
  const deadline = Date.now() + parseDuration(within, "--within") / 1e6
  for (;;) {
    const traces = await matchingTraces(client, filter, since)
    const slow = traces.filter(({ durationNano }) => longest !== undefined && Number(durationNano) > longest)
    const isOver = Date.now() >= deadline
    if (slow.length > 0) throw failure(`${slow.length} of them longer than ${duration(longest ?? 0)}`, slow)
    if (traces.length > wanted.most) throw failure(`${traces.length} of them, expected ${wanted.text}`, traces)
    if (holds(wanted, traces.length) && (isOver || wanted.most === Infinity))
      return console.log(`ok: ${traces.length} traces match ${filter}`)
    if (isOver) throw failure(`${traces.length} of them within ${within}, expected ${wanted.text}`, traces)
    await new Promise((later) => setTimeout(later, AGAIN_MS))
  }

  function failure(what: string, traces: readonly TraceSummaryJson[]): CommandError {
    const shown = traces.slice(0, SHOWN).map((trace) => `\n  ${traceLine(trace)}`)
    const more = traces.length > SHOWN ? `\n  and ${traces.length - SHOWN} more` : ""
    return new CommandError(`Traces that match ${filter}: ${what}${shown.join("")}${more}`, EXIT.failed)
  }
}

function holds({ least, most }: Comparison, count: number): boolean {
  return count >= least && count <= most
}
