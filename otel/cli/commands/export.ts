import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { finished } from "node:stream/promises"
import type { Argv } from "yargs"
import { PRIVATE_FILE_MODE } from "../../protocol/private-files.ts"
import { parseTraceId } from "../../protocol/records/ids.ts"
import { type Connection, withConnection } from "../connection.ts"
import { CommandError, EXIT } from "../exit.ts"
import { matchingTraces } from "../filter.ts"
import { InspectorClient } from "../inspector-client.ts"

export function exportCommand(parser: Argv): Argv {
  return parser.command(
    "export <what>",
    "Write traces as OTLP/JSON, a line each",
    (command) =>
      withConnection(command)
        .positional("what", { type: "string", demandOption: true, describe: "A trace id, or a filter" })
        .option("output", { alias: "o", type: "string", describe: "A file instead of the output" })
        .example("$0 export 'status:error' -o failed.jsonl", "The failed traces")
        .example("$0 export 4bf92f3577b34da6a3ce929d0e0e4736", "One trace"),
    async (options) => {
      const { exportTraces } = await import("./export.ts")
      await exportTraces(options)
    },
  )
}

export interface ExportOptions extends Connection {
  /** A trace id, or a filter. */
  readonly what: string
  readonly output?: string | undefined
}

/**
 * `pagespan export`: a line of OTLP/JSON for each trace, as the Collector's file exporter writes them, so that `import`, the
 * Collector and others read them.
 */
export async function exportTraces({ what, output, ...connection }: ExportOptions): Promise<void> {
  const client = new InspectorClient(connection)
  const traceId = parseTraceId(what)
  const traces = traceId === undefined ? (await matchingTraces(client, what)).map((trace) => trace.traceId) : [traceId]
  const target = output === undefined ? process.stdout : createWriteStream(output, { mode: PRIVATE_FILE_MODE })
  let count = 0
  for (const id of traces) {
    const text = await client.traceText(id)
    if (text === undefined) continue
    count++
    if (!target.write(`${text}\n`)) await once(target, "drain")
  }
  if (target !== process.stdout) await finished(target.end())
  if (count === 0) throw new CommandError(`No trace is ${JSON.stringify(what)}`, EXIT.refused)
  console.error(`${count} ${count === 1 ? "trace" : "traces"}`)
}
