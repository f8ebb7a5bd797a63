import { appendFile, readFile, writeFile } from "node:fs/promises"
import { relative } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import type { BudgetRequest } from "../../inspector/queries/budgets/budget-request.ts"
import type { BudgetReport } from "../../inspector/queries/budgets/budgets.ts"
import { annotations } from "../budget-report/annotations.ts"
import { describeResult, summaryText } from "../budget-report/describe.ts"
import { junitXml } from "../budget-report/junit.ts"
import { markdownText } from "../budget-report/markdown.ts"
import { type BudgetSource, sarifLog } from "../budget-report/sarif.ts"
import { tableText } from "../budget-report/table.ts"
import { CommandError, EXIT } from "../exit.ts"
import { type Connection, parseDuration } from "../options.ts"
import { makeDirectoryOf, notWritable } from "../output-file.ts"
import { newRunName, runReporting, temporaryEnvironment, warnOfOtherEndpoint } from "../reporting-program.ts"
import type { TemporaryInspector } from "../temporary-inspector.ts"
import { version } from "../version.ts"

export interface BudgetOptions extends Connection {
  /** The budget file; empty for the default. */
  readonly budgets: string
  readonly filter: string
  readonly since?: string | undefined
  readonly within: string
  /** Recordings to measure instead of what a running inspector has. */
  readonly file: readonly string[]
  /** A program to measure, at most `repeat` times. */
  readonly command: readonly string[]
  readonly repeat: number
  readonly strict: boolean
  readonly junit?: string | undefined
  readonly sarif?: string | undefined
  readonly markdown?: string | undefined
}

const DEFAULT_FILE = "pagespan.budgets.json"
const POLL_MS = 500

/**
 * `pagespan assert --budgets`: measures, prints the table and writes the reports.
 *
 * @returns the exit code: 1 when a limit fails, or with `strict` is undecided; that of the program when it failed.
 */
export async function assertBudgets(options: BudgetOptions): Promise<number> {
  const { requireSince } = await import("../query-options.ts")
  const since = requireSince(options.since)
  const path = options.budgets || DEFAULT_FILE
  const text = await readBudgets(path)
  const request: BudgetRequest = {
    budgets: parseBudgetText(path, text),
    filter: options.filter,
    ...(since !== undefined && { since }),
  }
  const { checkBudgets } = await import("../budget-report/check-budgets.ts")
  checkBudgets(path, request)
  // Before anything is measured, so that a path which cannot be written costs no run of a program.
  for (const file of [options.junit, options.sarif, options.markdown])
    if (file !== undefined) await makeDirectoryOf(file)
  const { report, programCode } = await measure(options, request)
  const source = { path: relative(process.cwd(), path).replaceAll("\\", "/"), text }
  await writeReports(report, source, options)
  if (programCode !== EXIT.ok) return programCode
  return report.verdict === "fail" || (options.strict && report.verdict === "undecided") ? EXIT.failed : EXIT.ok
}

async function readBudgets(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    throw new CommandError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}): --budgets takes a budget file, after the filter, like: pagespan assert 'route:/checkout' --budgets ${DEFAULT_FILE}`,
      EXIT.usage,
    )
  }
}

function parseBudgetText(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandError(`${path} is not JSON: ${(error as Error).message}`, EXIT.usage)
  }
}

/** Whether an inspector of this command measures, and none that runs already. */
function isHere({ file, command }: BudgetOptions): boolean {
  return file.length > 0 || command.length > 0
}

interface Measured {
  readonly report: BudgetReport
  readonly programCode: number
}

async function measure(options: BudgetOptions, request: BudgetRequest): Promise<Measured> {
  if (isHere(options)) return measureHere(options, request)
  const { InspectorClient } = await import("../inspector-client.ts")
  const client = new InspectorClient(options)
  const deadline = Date.now() + parseDuration(options.within, "--within") / 1e6
  for (;;) {
    const isStored = (await client.queueDepth()) === 0
    const report = await client.budgets(request)
    // More samples may arrive for what has none.
    const isMeasured = report.results.every(({ metric, samples }) => samples > 0 || metric === "dropped")
    if ((isStored && isMeasured) || Date.now() >= deadline) return { report, programCode: EXIT.ok }
    await delay(POLL_MS)
  }
}

/** Measures recordings and a program in an inspector of its own. */
async function measureHere(options: BudgetOptions, request: BudgetRequest): Promise<Measured> {
  const inherited = { ...process.env }
  const print = console.log
  const { startTemporaryInspector } = await import("../temporary-inspector.ts")
  const temporary = await startTemporaryInspector({ port: 0, withScreens: options.command.length > 0 })
  try {
    const { importInto } = await import("./import.ts")
    const { InspectorClient } = await import("../inspector-client.ts")
    await importInto(new InspectorClient({ url: temporary.url, token: undefined }), options.file)
    const [program, ...parameters] = options.command
    if (program === undefined) return { report: await judgeHere(temporary, request), programCode: EXIT.ok }
    warnOfOtherEndpoint(inherited, temporary.url)
    const env = temporaryEnvironment(inherited, temporary.url, runOf(options.filter))
    return await repeated(options.repeat, async () => ({
      programCode: await runReporting(program, parameters, env),
      report: await judgeHere(temporary, request),
    }))
  } finally {
    await temporary.stop()
    // Until then, Next may print. The report is for standard output again.
    console.log = print
  }
}

/** The run that a filter selects, so that the program has the name under which it is measured. */
function runOf(filter: string): string {
  return /^run:(?<name>[\w.:/@+-]+)$/.exec(filter.trim())?.groups?.["name"] ?? newRunName()
}

/** Runs the program until more runs would decide no limit, it fails, or the number of runs is used up. */
async function repeated(limit: number, run: () => Promise<Measured>): Promise<Measured> {
  for (let count = 1; ; count++) {
    const measured = await run()
    const { report, programCode } = measured
    const { undecided } = report.counts
    if (undecided === 0 || programCode !== EXIT.ok || count >= limit) return measured
    console.error(`pagespan: ${undecided} undecided after run ${count} of at most ${limit}`)
    if (report.omitted === 0 && !report.results.some(isDecidedByMore)) {
      console.error("pagespan: more runs would decide none: they have no samples, or no baseline")
      return measured
    }
  }
}

/** Whether further samples could decide it. A run that measured nothing of it is followed by others that do not either. */
function isDecidedByMore({ verdict, samples, limit, baseline }: BudgetReport["results"][number]): boolean {
  const isRelative = /^[+-]/.test(limit)
  return verdict === "undecided" && samples > 0 && (!isRelative || (baseline?.samples ?? 0) > 0)
}

async function judgeHere({ inspector, stored }: TemporaryInspector, request: BudgetRequest): Promise<BudgetReport> {
  await stored()
  const { parseBudgetRequest } = await import("../../inspector/queries/budgets/budget-request.ts")
  const nowMs = Date.now()
  const { budgets, scope } = parseBudgetRequest(request, nowMs)
  return inspector.queries.budgets(budgets, scope, nowMs)
}

async function writeReports(report: BudgetReport, source: BudgetSource, options: BudgetOptions): Promise<void> {
  const { strict, junit, sarif, markdown } = options
  const results = report.results.map(describeResult)
  console.log(tableText(results, isHere(options) ? undefined : options.url.replace(/\/$/, "")))
  if (report.omitted > 0) console.log(`${report.omitted} more limits are not shown`)
  console.log(`\n${summaryText(report)}`)
  await write(junit, () => junitXml(results, strict))
  await write(sarif, () => `${JSON.stringify(sarifLog(results, source, version(), strict), undefined, 2)}\n`)
  await write(markdown, () => markdownText(report, results))
  if (process.env["GITHUB_ACTIONS"] !== "true") return
  for (const line of annotations(results, source, strict)) console.log(line)
  const summary = process.env["GITHUB_STEP_SUMMARY"]
  if (summary) await appendFile(summary, markdownText(report, results))
}

async function write(path: string | undefined, textOf: () => string): Promise<void> {
  if (path === undefined) return
  try {
    await writeFile(path, textOf())
  } catch (error) {
    throw notWritable(path, error)
  }
}
