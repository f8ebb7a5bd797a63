import type { Argv } from "yargs"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, withConnection } from "../options.ts"
import { confirm, isInteractive } from "../terminal.ts"

export function clearCommand(parser: Argv): Argv {
  return parser.command(
    "clear",
    "Delete all records from the embedded store, those of retained runs included",
    (command) =>
      withConnection(command)
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask for confirmation" })
        .example("$0 clear --yes", "Before a test"),
    (options) => clear(options),
  )
}

/** `pagespan clear`: asks for confirmation first. A script confirms with `--yes`. */
async function clear({ yes, ...connection }: Connection & { readonly yes: boolean }): Promise<void> {
  if (!yes && !isInteractive()) throw new CommandError("clear deletes everything: confirm with --yes", EXIT.usage)
  if (!yes && !(await confirm(`Delete everything in the inspector at ${connection.url}?`)))
    throw new CommandError("Nothing was deleted", EXIT.failed)
  const { InspectorClient } = await import("../inspector-client.ts")
  await new InspectorClient(connection).clear()
  console.log("Deleted")
}
