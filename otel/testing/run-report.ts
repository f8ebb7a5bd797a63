import type { Environment } from "../protocol/config-values.ts"
import { plain } from "../protocol/line-text.ts"
import type { SpanJson } from "../protocol/otlp/traces-json.ts"
import { NO_RECORDING } from "../protocol/recording-variable.ts"
import { safely } from "../protocol/safely.ts"
import { type InspectorAddress, lastingUrl } from "./destination.ts"
import { type FailedTest, failureLines, readFailedTests } from "./failure-report.ts"
import { InspectorReader } from "./inspector-reader.ts"
import { type Framework, type TestRun, testRun } from "./run.ts"
import { spansOf, type TestAttempt } from "./test-trace.ts"
import { type ExportSummary, messageOf, TraceExporter } from "./trace-exporter.ts"
import { withinLimit } from "./within-limit.ts"

/** Failed tests that are printed with their traces. */
const FAILURE_LIMIT = 20
/** What the end of a run waits for the inspector. */
const REPORT_LIMIT_MS = 20_000

/** Options of both reporters. */
export interface ReporterOptions {
  /**
   * Name of the run, for the filter `run:<name>`. Default: `pagespan.run` of `OTEL_RESOURCE_ATTRIBUTES`, which
   * `pagespan run --name` sets; else the pipeline in CI; else the time. Characters other than letters, digits and `._:/@+-` become
   * `-`, and the name is cut after 100 characters, because the name of a run allows no others.
   */
  readonly run?: string | undefined
}

export interface RunReportOptions extends ReporterOptions {
  readonly framework: Framework
  readonly shard?: { readonly index: number; readonly count: number } | undefined
  readonly environment: Environment
  /** Prints one line. */
  readonly log: (line: string) => void
}

/** The traces of one test run: sends each, and prints at the end where they are and what the failed ones show. */
export class RunReport {
  readonly run: TestRun
  readonly #exporter: TraceExporter
  readonly #log: (line: string) => void
  readonly #failed: TestAttempt[] = []
  #failedCount = 0
  #hasFailed = false

  constructor({ framework, run, shard, environment, log }: RunReportOptions) {
    this.#log = log
    this.run = testRun(framework, run, environment, new Date())
    const part = shard === undefined ? undefined : `${shard.index}of${shard.count}`
    this.#exporter = new TraceExporter({ run: this.run, environment, shard: part, log })
  }

  /** The inspector that receives the traces, if one does. Takes a second at most. */
  get inspector(): Promise<InspectorAddress | undefined> {
    return this.#exporter.inspector
  }

  /** The spans as a request of OTLP/JSON. */
  requestOf(spans: readonly SpanJson[]): string {
    return this.#exporter.requestOf(spans.map((span) => JSON.stringify(span)))
  }

  /** Runs a callback of the framework. What fails in it is printed once, and never fails the run. */
  safely(take: () => void): void {
    safely(take, (error) => {
      if (!this.#hasFailed) this.#log(`pagespan: a test could not be recorded (${messageOf(error)})`)
      this.#hasFailed = true
    })
  }

  /** @param isFinal whether no other attempt at the test follows. */
  add(attempt: TestAttempt, isFinal: boolean): void {
    this.#exporter.add(spansOf(attempt))
    if (!isFinal || attempt.status === "pass") return
    this.#failedCount++
    // Steps and stacks were sent, and are not needed here.
    if (this.#failed.length < FAILURE_LIMIT) this.#failed.push({ ...attempt, steps: [], errors: [] })
  }

  /**
   * Sends the rest and prints the report. Never rejects.
   *
   * @param onTrace receives the whole trace of each printed failure, as the inspector has it.
   */
  async finish(onTrace?: (failed: FailedTest & { readonly text: string }) => void): Promise<void> {
    try {
      const summary = withRecording(await this.#exporter.close())
      if (summary.traces === 0) return
      await this.#printFailures(summary, onTrace)
      this.#printSummary(summary)
    } catch (error) {
      this.#log(`pagespan: the report is incomplete (${messageOf(error)})`)
    }
  }

  async #printFailures(
    { inspector, files }: ExportSummary,
    onTrace?: (failed: FailedTest & { readonly text: string }) => void,
  ): Promise<void> {
    if (this.#failed.length === 0) return
    const reader = inspector && new InspectorReader(inspector)
    const url = lastingUrl(inspector)
    const place = files.length === 0 ? "" : ` in ${files.join(", ")}`
    const deadline = Date.now() + REPORT_LIMIT_MS
    const failed = reader === undefined ? this.#failed.map(notRead) : await this.#read(reader, deadline)
    for (const test of failed) {
      const { attempt, text } = test
      if (text !== undefined) onTrace?.({ attempt, text })
      this.#log(plain(`pagespan: ${attempt.file} › ${attempt.titles.join(" › ")}`))
      this.#log(url === undefined ? `  trace ${attempt.traceId}${place}` : `  ${url}/traces/${attempt.traceId}`)
      if (reader === undefined) continue
      for (const line of await this.#linesOf(test, reader, deadline)) this.#log(`  ${line}`)
    }
    if (this.#failedCount > failed.length) this.#log(`pagespan: ${this.#failedCount - failed.length} more tests failed`)
  }

  /** The addresses are printed though the inspector does not answer any more, or not in time. */
  #read(reader: InspectorReader, deadline: number): Promise<readonly FailedTest[]> {
    const unread = this.#failed.map(notRead)
    const read = readFailedTests(reader, this.#failed).catch(() => unread)
    return withinLimit(read, deadline - Date.now(), unread)
  }

  async #linesOf(test: FailedTest, reader: InspectorReader, deadline: number): Promise<readonly string[]> {
    const leftMs = deadline - Date.now()
    if (leftMs <= 0) return noLines()
    return withinLimit(failureLines(reader, test, this.#service).catch(noLines), leftMs, noLines())
  }

  #printSummary({ traces, dropped, inspector, files }: ExportSummary): void {
    const count = `pagespan: ${traces} ${traces === 1 ? "trace" : "traces"} of run ${this.run.name}`
    const url = lastingUrl(inspector)
    if (url !== undefined && files.length === 0)
      this.#log(`${count}: ${url}/traces?q=${encodeURIComponent(`run:${this.run.name}`)}`)
    else if (files.length > 0)
      this.#log(
        `${count} in ${files.join(", ")}: npx pagespan import ${files.join(" ")} shows them in a running inspector`,
      )
    else this.#log(count)
    if (dropped > 0) this.#log(`pagespan: ${dropped} spans were dropped`)
  }

  get #service(): string {
    return String(this.run.resource["service.name"])
  }
}

/** With the file of `pagespan record`, if it receives the spans. */
function withRecording({ files, ...summary }: ExportSummary): ExportSummary {
  const recording = summary.inspector?.recording ?? NO_RECORDING
  return { ...summary, files: recording === NO_RECORDING ? files : [recording, ...files] }
}

function notRead(attempt: TestAttempt): FailedTest {
  return { attempt, text: undefined }
}

function noLines(): string[] {
  return ["findings and errors could not be read"]
}
