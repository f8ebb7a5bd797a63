import yargs, { type Argv } from "yargs"
import { assertCommand } from "./commands/assert.ts"
import { clearCommand } from "./commands/clear.ts"
import { exportCommand } from "./commands/export.ts"
import { importCommand } from "./commands/import.ts"
import { initCommand } from "./commands/init.ts"
import { mcpCommand } from "./commands/mcp.ts"
import { openCommand } from "./commands/open.ts"
import { runCommand } from "./commands/run.ts"
import { startCommand } from "./commands/start.ts"
import { tailCommand } from "./commands/tail.ts"
import { CommandError, EXIT } from "./exit.ts"

const HELP_WIDTH = 100
const EPILOGUE = `Exit codes: 0 done · 1 an assertion does not hold, or no start · 2 not understood
            3 no inspector answers · 4 the inspector refused · run: the program's own`

/** A command, told apart from what it does: that is loaded when it is called for. */
export type Command = (parser: Argv) => Argv

export const COMMANDS: readonly Command[] = [
  startCommand,
  runCommand,
  tailCommand,
  openCommand,
  importCommand,
  exportCommand,
  assertCommand,
  clearCommand,
  mcpCommand,
  initCommand,
]

/** The whole command line. Whatever cannot be understood rejects with code 2. */
export function createParser(words: readonly string[]): Argv {
  const parser = yargs([...words])
    .scriptName("pagespan")
    .usage(
      "$0 <command>\n\nRoute-named OpenTelemetry spans of Next.js apps, and an inspector for spans of any program.",
    )
    .parserConfiguration({ "populate--": true })
    .completion("completion", "Print a completion script for the shell, bash or zsh")
    .epilogue(EPILOGUE)
    .strict()
    .wrap(HELP_WIDTH)
    .help()
    .alias("help", "h")
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new CommandError(`${message}\nSee pagespan --help`, EXIT.usage)
    })
  return COMMANDS.reduce((known, command) => command(known), parser)
}
