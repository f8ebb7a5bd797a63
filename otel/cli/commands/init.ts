import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline/promises"
import { createTwoFilesPatch } from "diff"
import type { Argv } from "yargs"
import { CommandError, EXIT } from "../exit.ts"
import { readText } from "../init/app-files.ts"
import type { Edit } from "../init/edit.ts"
import { planInit } from "../init/plan.ts"

export function initCommand(parser: Argv): Argv {
  return parser.command(
    "init [directory]",
    "Add Pagespan to a Next.js app: shows the edits first, and asks",
    (command) =>
      command
        .positional("directory", { type: "string", default: ".", describe: "The app" })
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask" })
        .option("dry-run", { type: "boolean", default: false, describe: "Only show" })
        .example("$0 init", "Shows what it would change, and asks")
        .example("$0 init --dry-run", "Changes nothing"),
    async (options) => {
      const { init } = await import("./init.ts")
      await init(options)
    },
  )
}

export interface InitOptions {
  readonly directory: string
  readonly yes: boolean
  readonly dryRun: boolean
}

/** `pagespan init`: shows what it would change, and changes it once a person has agreed. Run again it finds nothing to do. */
export async function init({ directory, yes, dryRun }: InitOptions): Promise<void> {
  const app = resolve(directory)
  const plan = planInit(app)
  if (plan === undefined)
    throw new CommandError(`${app} holds no App Router app: expected package.json, and app or src/app`, EXIT.usage)
  for (const edit of plan.edits) process.stdout.write(patchOf(edit))
  for (const note of plan.notes) console.log(`Left to you: ${note}`)
  if (plan.edits.length === 0) return console.log(plan.notes.length === 0 ? "Nothing to change" : "Nothing was changed")
  if (dryRun) return
  if (!yes && !(await isConfirmed(plan.edits.length))) throw new CommandError("Nothing was changed", EXIT.failed)
  for (const edit of plan.edits) write(app, edit)
  console.log("Done. Start the app, and pagespan beside it.")
}

/** @throws {CommandError} where the file is no longer what the plan was made from. */
function write(app: string, { path, before, after }: Edit): void {
  const file = join(app, path)
  const isAsPlanned = before === undefined ? !existsSync(file) : readText(app, path) === before
  if (!isAsPlanned) throw new CommandError(`${path} has changed meanwhile and was left as it is`, EXIT.failed)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, after)
}

function patchOf({ path, before, after }: Edit): string {
  const old = before === undefined ? "/dev/null" : `a/${path}`
  return createTwoFilesPatch(old, `b/${path}`, before ?? "", after, undefined, undefined, { context: 2 })
}

async function isConfirmed(count: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError("init changes files: say --yes, or --dry-run to look", EXIT.usage)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`Change ${count === 1 ? "this file" : `these ${count} files`}? [y/N] `)
  terminal.close()
  return /^y(?:es)?$/i.test(answer.trim())
}
