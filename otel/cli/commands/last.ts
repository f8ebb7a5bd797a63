import type { Argv } from "yargs"
import { CommandError, EXIT } from "../exit.ts"
import type { InspectorClient } from "../inspector-client.ts"
import { type Connection, withConnection } from "../options.ts"
import { countText, openOnDesktop } from "../terminal.ts"

export function lastCommand(parser: Argv): Argv {
  return parser.command(
    "last [filter]",
    "Print the newest trace: its address, and its spans as a tree",
    (command) =>
      withConnection(command)
        .positional("filter", {
          type: "string",
          describe: "Only matching traces; by default all but those of the inspector itself",
        })
        .option("open", { type: "boolean", default: false, describe: "Show it in the browser, on a desktop" })
        .option("json", { type: "boolean", default: false, describe: "Print OTLP/JSON instead" })
        .example("$0 last", "The trace of the last request")
        .example("$0 last 'route:/checkout status:error' --open", "The last failed checkout"),
    (options) => showLast(options),
  )
}

interface LastOptions extends Connection {
  readonly filter?: string | undefined
  readonly open: boolean
  readonly json: boolean
}

/** Without traces of the inspector's own server and pages, whose services have these names unless they are configured. */
const NOT_OWN = "{-service:(pagespan pagespan-browser)}"
/** Trees of a trace whose spans have no common root. */
const TREES = 5

/** `pagespan last`: the text of the tree is the one that the screen copies for a language model, redacted and bounded. */
async function showLast({ filter = NOT_OWN, open, json, ...connection }: LastOptions): Promise<void> {
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  const trace = await client.newestTrace(filter)
  if (trace === undefined) {
    const what = filter === NOT_OWN ? "The inspector has no trace" : `No trace matches ${JSON.stringify(filter)}`
    throw new CommandError(what, EXIT.refused)
  }
  const address = client.screen(`/traces/${trace.traceId}`)
  if (json) console.log(await client.traceText(trace.traceId))
  else console.log(`${address}\n\n${await treeText(client, trace.traceId)}`)
  if (json) console.error(address)
  if (open) await openOnDesktop(address)
}

async function treeText(client: InspectorClient, traceId: string): Promise<string> {
  const { indexesWhere } = await import("../../inspector/queries/trace/columns/typed-arrays.ts")
  const { decodeWaterfall } = await import("../../inspector/queries/trace/columns/waterfall-bytes.ts")
  const { readWaterfall } = await import("../../inspector/queries/trace/waterfall-table.ts")
  const table = readWaterfall(decodeWaterfall(await client.waterfall(traceId)))
  const roots = indexesWhere(table.length, (row) => table.depth[row] === 0)
  const texts: string[] = []
  for (const row of roots.slice(0, TREES)) texts.push(await client.subtreeText(traceId, table.spanId(row)))
  const more = roots.length - texts.length
  if (more > 0) texts.push(`and ${countText(more, "more span")} at the top level`)
  return texts.join("\n\n")
}
