import { createInterface } from "node:readline/promises"
import type { Argv } from "yargs"
import { type Connection, withConnection } from "../connection.ts"
import { CommandError, EXIT } from "../exit.ts"
import { InspectorClient } from "../inspector-client.ts"

export function clearCommand(parser: Argv): Argv {
  return parser.command(
    "clear",
    "Delete all spans, errors, logs and drops of the embedded store",
    (command) =>
      withConnection(command)
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask" })
        .example("$0 clear --yes", "Before a test"),
    async (options) => {
      const { clear } = await import("./clear.ts")
      await clear(options)
    },
  )
}

/** `pagespan clear`: forgets all spans, errors, logs and drops. Asks a person first; a script says `--yes`. */
export async function clear({ yes, ...connection }: Connection & { readonly yes: boolean }): Promise<void> {
  if (!yes && !(await isConfirmed(connection.url))) throw new CommandError("Nothing was deleted", EXIT.failed)
  await new InspectorClient(connection).clear()
  console.log("Deleted")
}

async function isConfirmed(url: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError("clear deletes everything: say --yes", EXIT.usage)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`Delete everything that the inspector at ${url} has kept? [y/N] `)
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
}
