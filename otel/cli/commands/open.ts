import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

export function openCommand(parser: Argv): Argv {
  return parser.command(
    "open <traceId>",
    "Show a trace in the browser",
    (command) =>
      withConnection(command)
        .positional("traceId", { type: "string", demandOption: true, describe: "32 hexadecimal digits" })
        .example("$0 open 4bf92f3577b34da6a3ce929d0e0e4736", "Prints its address; on a desktop it opens"),
    async (options) => {
      const { openTrace } = await import("../open-trace.ts")
      await openTrace(options)
    },
  )
}
