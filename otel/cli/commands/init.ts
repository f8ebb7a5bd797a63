import { chmodSync, existsSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { Argv } from "yargs"
import { dsn as dsnSchema } from "../../protocol/config-values.ts"
import { localUrl } from "../../protocol/transport/inspector-address.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { Edit } from "../init/edit.ts"
import type { Installation } from "../init/packages.ts"
import type { InitPlan } from "../init/plan.ts"
import { confirm, isInteractive } from "../terminal.ts"

export function initCommand(parser: Argv): Argv {
  return parser.command(
    "init [directory]",
    "Add Pagespan to a Next.js app: shows the edits and asks before it writes",
    (command) =>
      command
        .positional("directory", { type: "string", default: ".", describe: "Directory of the app" })
        .option("dsn", { type: "string", describe: "Sentry DSN to write into .env as SENTRY_DSN" })
        .option("yes", { alias: "y", type: "boolean", default: false, describe: "Do not ask for confirmation" })
        .option("install", {
          type: "boolean",
          default: true,
          describe: "Install missing packages with the app's package manager; --no-install only names them",
        })
        .option("check", {
          type: "boolean",
          describe: "Start the app afterwards and send a test error, as doctor does",
          defaultDescription: "asks",
        })
        .option("dry-run", { type: "boolean", default: false, describe: "Show the edits and write nothing" })
        .example("$0 init", "Shows the edits and asks")
        .example("$0 init --dry-run", "Writes nothing"),
    (options) => init(options),
  )
}

interface InitOptions {
  readonly directory: string
  readonly dsn?: string | undefined
  readonly yes: boolean
  readonly install?: boolean
  readonly check?: boolean | undefined
  readonly dryRun: boolean
}

/**
 * `pagespan init`: shows the edits as a patch, and writes them and installs packages after confirmation. A second run finds
 * nothing to change.
 */
export async function init({ directory, dsn, yes, install = false, check, dryRun }: InitOptions): Promise<void> {
  const app = resolve(directory)
  const plan = await requirePlan(app, dsn)
  await show(plan)
  const installation = install ? plan.installation : undefined
  if (plan.installation?.problem !== undefined) console.log(plan.installation.problem)
  if (plan.installation !== undefined && installation === undefined)
    console.log(`Left to you: install what is missing\n    ${plan.installation.text}`)
  const isNothing = plan.edits.length === 0 && installation === undefined
  if (isNothing) {
    console.log(plan.notes.length === 0 ? "Nothing to change" : "Nothing was changed")
    if (check && !dryRun) await checkApp(app)
    return
  }
  if (installation !== undefined) console.log(`To install: ${installation.text}`)
  if (dryRun) return
  if (!yes && !isInteractive())
    throw new CommandError("init changes files: confirm with --yes, or look at the edits with --dry-run", EXIT.usage)
  await write(app, plan, yes)
  if (installation !== undefined) await installAll(plan, installation, yes)
  const isWanted = check ?? (!yes && (await confirm("Start your app now, and check it with a test error?")))
  if (!isWanted) return console.log(NEXT_STEPS)
  await checkApp(app)
}

/** @throws {CommandError} on an invalid DSN, or a directory without an app. */
async function requirePlan(app: string, dsn: string | undefined): Promise<InitPlan> {
  const { planInit } = await import("../init/plan.ts")
  if (dsn !== undefined && !dsnSchema.safeParse(dsn).success)
    throw new CommandError("--dsn must look like https://key@host/1", EXIT.usage)
  const plan = planInit(app, dsn)
  if (plan === undefined)
    throw new CommandError(`${app} is not an App Router app: expected package.json, and app or src/app`, EXIT.usage)
  return plan
}

async function checkApp(app: string): Promise<void> {
  const { doctor } = await import("./doctor.ts")
  await doctor({ app, browser: true, url: localUrl(), token: process.env["PAGESPAN_TOKEN"] })
}

const NEXT_STEPS = `Done.
Check your app with pagespan doctor: it starts it, and sends a test error.
Stack traces name your own code once each build uploads its source maps: see pagespan sourcemaps --help.`

async function show({ edits, notes, sampling }: InitPlan): Promise<void> {
  for (const edit of edits) process.stdout.write(edit.shownAs === undefined ? await patchOf(edit) : `${edit.shownAs}\n`)
  if (sampling !== undefined) console.log(`Note: ${sampling}`)
  for (const note of notes) console.log(`Left to you: ${note}`)
}

/** @throws {CommandError} when the person declines, or a file has changed since the plan was made. */
async function write(app: string, { app: files, edits }: InitPlan, yes: boolean): Promise<void> {
  const { length } = edits
  if (length === 0) return
  if (!yes && !(await confirm(`Change ${length === 1 ? "this file" : `these ${length} files`}?`)))
    throw new CommandError("Nothing was changed", EXIT.failed)
  const { formatterFor } = await import("../init/formatter.ts")
  const formatter = await formatterFor(files, edits)
  for (const edit of edits) await writeEdit(app, edit)
  if (formatter === undefined) return
  await formatter.run()
  console.log(`Formatted with ${formatter.name}`)
}

/** @throws {CommandError} when the file has changed since the plan was made. */
async function writeEdit(app: string, { path, before, after }: Edit): Promise<void> {
  const { readText } = await import("../init/app-files.ts")
  const file = join(app, path)
  const isAsPlanned = before === undefined ? !existsSync(file) : readText(app, path) === before
  if (!isAsPlanned)
    throw new CommandError(`${path} changed after init read it, so init did not write it: run init again`, EXIT.failed)
  if (before === undefined) {
    mkdirSync(dirname(file), { recursive: true })
    return writeFileSync(file, after, { flag: "wx" })
  }
  // A full disk or a kill in the middle leaves the old file.
  const target = realpathSync(file)
  const copy = `${target}.pagespan-${process.pid}`
  writeFileSync(copy, after, { flag: "wx" })
  chmodSync(copy, statSync(target).mode)
  renameSync(copy, target)
}

/** Installs the packages, and then what leaves one copy of OpenTelemetry's API. */
async function installAll({ app }: InitPlan, installation: Installation, yes: boolean): Promise<void> {
  const { apiInstallation } = await import("../init/packages.ts")
  if (!(await installPackages(app.directory, installation, yes))) return
  const second = apiInstallation(app)
  if (second === undefined) return
  console.log(`There is a second copy of OpenTelemetry's API. To install: ${second.text}`)
  await installPackages(app.directory, second, yes)
}

/** Whether the person agreed and it succeeded. Says what is left otherwise. */
async function installPackages(directory: string, installation: Installation, yes: boolean): Promise<boolean> {
  const { install } = await import("../init/packages.ts")
  const isWanted = yes || (await confirm(`Run ${installation.text}?`))
  if (isWanted && (await install(directory, installation))) return true
  const reason = isWanted ? `${installation.program} could not install what is missing` : "install what is missing"
  console.log(`Left to you: ${reason}\n    ${installation.text}`)
  return false
}

async function patchOf({ path, before, after }: Edit): Promise<string> {
  const { createTwoFilesPatch } = await import("diff")
  const old = before === undefined ? "/dev/null" : `a/${path}`
  return createTwoFilesPatch(old, `b/${path}`, before ?? "", after, undefined, undefined, { context: 2 })
}
