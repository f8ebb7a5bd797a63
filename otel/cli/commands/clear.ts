import type { Argv } from "yargs"
import { withConnection } from "../connection.ts"

export function clearCommand(parser: Argv): Argv {
  return parser.command(
    "clear",
    "Delete all spans, errors, logs and losses of the embedded store",
    (command) =>
      withConnection(command)
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask" })
        .example("$0 clear --yes", "Before a test"),
    async (options) => {
      const { clear } = await import("../clear.ts")
      await clear(options)
    },
  )
}
