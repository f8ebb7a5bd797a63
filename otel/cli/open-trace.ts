import { parseTraceId } from "../model/ids.ts"
import type { Connection } from "./connection.ts"
import { openOnDesktop } from "./desktop.ts"
import { CommandError, EXIT } from "./exit.ts"
import { InspectorClient } from "./inspector-client.ts"

/** `pagespan open`: prints the address of the trace, and shows it on a desktop. */
export async function openTrace({ traceId, ...connection }: Connection & { traceId: string }): Promise<void> {
  const known = parseTraceId(traceId)
  if (known === undefined)
    throw new CommandError(`${JSON.stringify(traceId)} is no trace id: it has 32 hexadecimal digits`, EXIT.usage)
  const client = new InspectorClient(connection)
  if ((await client.traceText(known)) === undefined)
    throw new CommandError(`No span of trace ${known} is known`, EXIT.refused)
  const url = client.screen(`/traces/${known}`)
  console.log(url)
  await openOnDesktop(url)
}
