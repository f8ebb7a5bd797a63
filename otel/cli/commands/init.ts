import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { Argv } from "yargs"
import { CommandError, EXIT } from "../exit.ts"
import type { Edit } from "../init/edit.ts"
import { confirm, isInteractive } from "../terminal.ts"

export function initCommand(parser: Argv): Argv {
  return parser.command(
    "init [directory]",
    "Add Pagespan to a Next.js app: shows the edits and asks before it writes",
    (command) =>
      command
        .positional("directory", { type: "string", default: ".", describe: "Directory of the app" })
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask for confirmation" })
        .option("dry-run", { type: "boolean", default: false, describe: "Show the edits and write nothing" })
        .example("$0 init", "Shows the edits and asks")
        .example("$0 init --dry-run", "Writes nothing"),
    (options) => init(options),
  )
}

interface InitOptions {
  readonly directory: string
  readonly yes: boolean
  readonly dryRun: boolean
}

/** `pagespan init`: shows the edits as a patch and writes them after confirmation. A second run finds nothing to change. */
export async function init({ directory, yes, dryRun }: InitOptions): Promise<void> {
  const { planInit } = await import("../init/plan.ts")
  const app = resolve(directory)
  const plan = planInit(app)
  if (plan === undefined)
    throw new CommandError(`${app} is not an App Router app: expected package.json, and app or src/app`, EXIT.usage)
  for (const edit of plan.edits) process.stdout.write(await patchOf(edit))
  for (const note of plan.notes) console.log(`Left to you: ${note}`)
  if (plan.edits.length === 0) return console.log(plan.notes.length === 0 ? "Nothing to change" : "Nothing was changed")
  if (dryRun) return
  if (!yes && !isInteractive())
    throw new CommandError("init changes files: confirm with --yes, or look at the edits with --dry-run", EXIT.usage)
  const { length } = plan.edits
  if (!yes && !(await confirm(`Change ${length === 1 ? "this file" : `these ${length} files`}?`)))
    throw new CommandError("Nothing was changed", EXIT.failed)
  for (const edit of plan.edits) await write(app, edit)
  console.log("Done. Start your app, and start the inspector with pagespan.")
}

/** @throws {CommandError} when the file has changed since the plan was made. */
async function write(app: string, { path, before, after }: Edit): Promise<void> {
  const { readText } = await import("../init/app-files.ts")
  const file = join(app, path)
  const isAsPlanned = before === undefined ? !existsSync(file) : readText(app, path) === before
  if (!isAsPlanned)
    throw new CommandError(`${path} changed after init read it, so init did not write it: run init again`, EXIT.failed)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, after)
}

async function patchOf({ path, before, after }: Edit): Promise<string> {
  const { createTwoFilesPatch } = await import("diff")
  const old = before === undefined ? "/dev/null" : `a/${path}`
  return createTwoFilesPatch(old, `b/${path}`, before ?? "", after, undefined, undefined, { context: 2 })
}
