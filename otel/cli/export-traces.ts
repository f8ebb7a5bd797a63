import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { finished } from "node:stream/promises"
import { parseTraceId } from "../model/ids.ts"
import { PRIVATE_FILE_MODE } from "../model/private-files.ts"
import type { Connection } from "./connection.ts"
import { CommandError, EXIT } from "./exit.ts"
import { matchingTraces } from "./filter.ts"
import { InspectorClient } from "./inspector-client.ts"

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
