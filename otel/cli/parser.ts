import yargs, { type Argv } from "yargs"
import { assertCommand } from "./commands/assert.ts"
import { clearCommand } from "./commands/clear.ts"
import { doctorCommand } from "./commands/doctor.ts"
import { exportCommand } from "./commands/export.ts"
import { importCommand } from "./commands/import.ts"
import { initCommand } from "./commands/init.ts"
import { lastCommand } from "./commands/last.ts"
import { mcpCommand } from "./commands/mcp.ts"
import { openCommand } from "./commands/open.ts"
import { recordCommand } from "./commands/record.ts"
import { runCommand } from "./commands/run.ts"
import { sourcemapsCommand } from "./commands/sourcemaps.ts"
import { startCommand } from "./commands/start.ts"
import { tailCommand } from "./commands/tail.ts"
import { CommandError, EXIT } from "./exit.ts"

const HELP_WIDTH = 100
const EPILOGUE = `Exit codes: 0 success · 1 an assertion does not hold, or the inspector cannot start · 2 usage error
            3 no inspector answers · 4 the inspector refused · run and record exit with
            their program's code, assert with that of a program that failed`

/**
 * The commands in the order of the help text, by name; `""` starts the inspector. Each file declares its command's options
 * and imports heavy modules only when the command runs, so that help and shell completion stay fast.
 */
export const COMMANDS: Readonly<Record<string, (parser: Argv) => Argv>> = {
  "": startCommand,
  run: runCommand,
  record: recordCommand,
  tail: tailCommand,
  last: lastCommand,
  open: openCommand,
  import: importCommand,
  export: exportCommand,
  assert: assertCommand,
  clear: clearCommand,
  mcp: mcpCommand,
  init: initCommand,
  doctor: doctorCommand,
  sourcemaps: sourcemapsCommand,
}

/** The parser of the whole command line. It rejects with a `CommandError` on arguments that it cannot parse. */
export function createParser(words: readonly string[]): Argv {
  const parser = yargs([...words])
    .scriptName("pagespan")
    .usage(
      "$0 <command>\n\nRoute-named OpenTelemetry spans for Next.js apps, and an inspector for the spans of any program.",
    )
    .parserConfiguration({ "populate--": true })
    .completion("completion", "Print a completion script for bash or zsh")
    .epilogue(EPILOGUE)
    .strict()
    .wrap(HELP_WIDTH)
    .help()
    .alias("help", "h")
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new CommandError(`${message}\nSee pagespan --help`, EXIT.usage)
    })
  return Object.values(COMMANDS).reduce((known, addCommand) => addCommand(known), parser)
}
