import type { Argv } from "yargs"
import { parseTraceId } from "../../protocol/records/ids.ts"
import { type Connection, withConnection } from "../connection.ts"
import { openOnDesktop } from "../desktop.ts"
import { CommandError, EXIT } from "../exit.ts"
import { InspectorClient } from "../inspector-client.ts"

export function openCommand(parser: Argv): Argv {
  return parser.command(
    "open <traceId>",
    "Show a trace in the browser",
    (command) =>
      withConnection(command)
        .positional("traceId", { type: "string", demandOption: true, describe: "32 hexadecimal digits" })
        .example("$0 open 4bf92f3577b34da6a3ce929d0e0e4736", "Prints its address; on a desktop it opens"),
    async (options) => {
      const { openTrace } = await import("./open.ts")
      await openTrace(options)
    },
  )
}

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
