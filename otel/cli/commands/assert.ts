import type { Argv } from "yargs"
import { CommandError, EXIT, reportError } from "../exit.ts"
import { withConnection } from "../options.ts"

export function assertCommand(parser: Argv): Argv {
  return parser.command(
    "assert [filter]",
    "Check in a test which traces arrived, or budgets: exit code 1 when the assertion does not hold",
    (command) => withBudgets(withRecords(withConnection(command))),
    async ({ "--": words = [], filter, budgets, file, ...options }) => {
      const command = words as string[]
      if (budgets === undefined) refuseReports({ ...options, file })
      refuseMixed(budgets !== undefined, command, options)
      if (budgets !== undefined) {
        const { assertBudgets } = await import("./assert-budgets.ts")
        const request = { ...options, filter: filter ?? "", budgets, file: file ?? [], command }
        process.exit(await assertBudgets(request).catch(reportError))
      }
      if (filter === undefined)
        throw new CommandError(
          "assert needs a filter, like: pagespan assert 'route:/checkout', or --budgets",
          EXIT.usage,
        )
      const { assertRecords } = await import("./assert-records.ts")
      await assertRecords({ ...options, filter })
    },
  )
}

/** Options that are read with `--budgets` only. */
const WITH_BUDGETS = ["file", "junit", "sarif", "markdown"] as const

function refuseReports(options: Readonly<Partial<Record<(typeof WITH_BUDGETS)[number], unknown>>>): void {
  const given = WITH_BUDGETS.find((name) => options[name] !== undefined)
  if (given !== undefined) throw new CommandError(`--${given} needs --budgets`, EXIT.usage)
}

interface Mixed {
  readonly count: string
  readonly maxDuration?: string | undefined
  readonly maxP95?: string | undefined
  readonly maxFailed?: string | undefined
  readonly logs: boolean
  readonly own?: string | undefined
  readonly repeat: number
  readonly strict: boolean
}

/** @throws {CommandError} on an option that would be ignored, so that no check passes which nobody made. */
function refuseMixed(isOfBudgets: boolean, command: readonly string[], options: Mixed): void {
  const { count, logs, maxDuration, maxFailed, maxP95, own, repeat, strict } = options
  if (!Number.isInteger(repeat) || repeat < 1)
    throw new CommandError("--repeat is not a whole number from 1", EXIT.usage)
  if (!isOfBudgets && (repeat !== 1 || strict || command.length > 0))
    throw new CommandError("--repeat, --strict and a program behind -- need --budgets", EXIT.usage)
  const ofRecords = [maxDuration, maxP95, maxFailed, own].some((bound) => bound !== undefined)
  if (isOfBudgets && (ofRecords || logs || count !== DEFAULT_COUNT))
    throw new CommandError("--count, --logs, --own and the --max- options do not apply to --budgets", EXIT.usage)
}

const DEFAULT_COUNT = ">=1"
const OWN_CHOICES = ["show", "hide"] as const

function withRecords<Options>(command: Argv<Options>) {
  return command
    .positional("filter", {
      type: "string",
      describe: "A filter, in the filter language; of budgets by default all",
    })
    .option("count", { type: "string", default: DEFAULT_COUNT, describe: "Expected traces: '>=1', '0', '<5', '3..5'" })
    .option("max-duration", { type: "string", describe: "No trace may take longer, like 500ms" })
    .option("max-p95", { type: "string", describe: "Their 95th percentile may not be above it, like 800ms" })
    .option("max-failed", { type: "string", describe: "The failed share may not be above it, like 5%" })
    .option("logs", { type: "boolean", default: false, describe: "Count logs instead of traces" })
    .option("own", { choices: OWN_CHOICES, describe: "Whether Pagespan's own traces count. Default: show" })
    .option("within", {
      type: "string",
      default: "10s",
      describe: "How long to wait for the assertion to hold; an upper bound on the count must hold for the whole time",
    })
    .option("since", { type: "string", describe: "Only traces that started since then, like 5m" })
    .example("$0 assert 'route:/checkout' --max-duration 2s", "At least one trace, none slower than 2 s")
    .example("$0 assert 'run:e2e status:error' --count 0 --within 3s", "No failed trace in a run")
    .example("$0 assert 'severity>=error' --logs --count 0 --since 5m", "No error in the logs of 5 minutes")
}

const OF_BUDGETS = "Budgets:"

function withBudgets<Options>(command: Argv<Options>) {
  return command
    .option("budgets", { type: "string", describe: "Check the limits of a file. Default: pagespan.budgets.json" })
    .option("file", { type: "string", array: true, describe: "Measure these recordings" })
    .option("repeat", {
      type: "number",
      default: 1,
      describe: "Run the program behind -- up to this often, until no limit is undecided",
    })
    .option("strict", { type: "boolean", default: false, describe: "An undecided limit fails" })
    .option("junit", { type: "string", describe: "Write JUnit XML to this file" })
    .option("sarif", { type: "string", describe: "Write SARIF to this file" })
    .option("markdown", { type: "string", describe: "Write a summary for a pull request to this file" })
    .group(["budgets", "file", "repeat", "strict", "junit", "sarif", "markdown"], OF_BUDGETS)
    .example("$0 assert 'run:e2e' --budgets", "The limits of pagespan.budgets.json, on a running inspector")
    .example("$0 assert --budgets --file pr.gz main.gz", "On recordings, without an inspector")
    .example("$0 assert --budgets --repeat 5 -- npm test", "On what a program reports, until the limits are decided")
}
