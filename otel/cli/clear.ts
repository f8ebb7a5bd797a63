import { createInterface } from "node:readline/promises"
import type { Connection } from "./connection.ts"
import { CommandError, EXIT } from "./exit.ts"
import { InspectorClient } from "./inspector-client.ts"

/** `pagespan clear`: forgets all spans, errors, logs and losses. Asks a person first; a script says `--yes`. */
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
