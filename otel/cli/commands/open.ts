import type { Argv } from "yargs"
import { parseTraceId } from "../../protocol/records/ids.ts"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, withConnection } from "../options.ts"
import { openOnDesktop } from "../terminal.ts"

export function openCommand(parser: Argv): Argv {
  return parser.command(
    "open <traceId>",
    "Show a trace in the browser",
    (command) =>
      withConnection(command)
        .positional("traceId", { type: "string", demandOption: true, describe: "32 hexadecimal digits" })
        .example("$0 open 4bf92f3577b34da6a3ce929d0e0e4736", "Prints its address, and opens it on a desktop"),
    (options) => openTrace(options),
  )
}

/** `pagespan open`: prints the address of the trace, and opens it on a desktop. */
async function openTrace({ traceId: text, ...connection }: Connection & { traceId: string }): Promise<void> {
  const traceId = parseTraceId(text)
  if (traceId === undefined)
    throw new CommandError(`${JSON.stringify(text)} is not a trace ID, which has 32 hexadecimal digits`, EXIT.usage)
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(connection)
  if ((await client.traceText(traceId)) === undefined)
    throw new CommandError(`The inspector has no span of trace ${traceId}`, EXIT.refused)
  const url = client.screen(`/traces/${traceId}`)
  console.log(url)
  await openOnDesktop(url)
}
