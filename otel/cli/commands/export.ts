import { once } from "node:events"
import { finished } from "node:stream/promises"
import type { Argv } from "yargs"
import { parseTraceId } from "../../protocol/records/ids.ts"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, withConnection } from "../options.ts"
import { openFile } from "../output-file.ts"

export function exportCommand(parser: Argv): Argv {
  return parser.command(
    "export <what>",
    "Write traces as OTLP/JSON, one per line",
    (command) =>
      withConnection(command)
        .positional("what", { type: "string", demandOption: true, describe: "A trace ID or a filter" })
        .option("output", { alias: "o", type: "string", describe: "File to write, instead of standard output" })
        .example("$0 export 'status:error' -o failed.jsonl", "The failed traces")
        .example("$0 export 4bf92f3577b34da6a3ce929d0e0e4736", "One trace"),
    (options) => exportTraces(options),
  )
}

interface ExportOptions extends Connection {
  /** A trace ID or a filter. */
  readonly what: string
  readonly output?: string | undefined
}

/**
 * `pagespan export`: one line of OTLP/JSON per trace, the format of the OpenTelemetry Collector's file exporter, which
 * `pagespan import` and the Collector read.
 */
async function exportTraces({ what, output, ...connection }: ExportOptions): Promise<void> {
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  const traceId = parseTraceId(what)
  const traces = traceId === undefined ? client.allTraces(what) : [{ traceId }]
  const target = output === undefined ? process.stdout : await openFile(output)
  let count = 0
  for await (const trace of traces) {
    const text = await client.traceText(trace.traceId)
    if (text === undefined) continue
    count++
    if (!target.write(`${text}\n`)) await once(target, "drain")
  }
  if (target !== process.stdout) await finished(target.end())
  if (count === 0) throw new CommandError(`No trace matches ${JSON.stringify(what)}`, EXIT.refused)
  console.error(`${count} ${count === 1 ? "trace" : "traces"}`)
}
