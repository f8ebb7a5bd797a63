import { rename, rm, stat } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import type { Argv } from "yargs"
import type { RecordingCounts } from "../../inspector/queries/recording/recording.ts"
import type { Environment } from "../../protocol/config-values.ts"
import { END_SIGNALS } from "../end-signals.ts"
import { CommandError, EXIT, reportError } from "../exit.ts"
import { openFile } from "../output-file.ts"
import { runName, runReporting, temporaryEnvironment, warnOfOtherEndpoint } from "../reporting-program.ts"
import { byteText, countText, dropCountText } from "../terminal.ts"

export function recordCommand(parser: Argv): Argv {
  return parser.command(
    "record",
    "Run a program and write what it reports to one file, without a running inspector",
    (command) =>
      command
        .usage("$0 record [options] -- <command>")
        .option("output", {
          alias: "o",
          type: "string",
          describe: "File to write. Default: pagespan-<name>.otlp.jsonl.gz",
        })
        .option("name", { type: "string", describe: "Name of the run; the filter run:<name> finds it" })
        .option("port", { type: "number", default: 0, describe: "Port that the program reports to; 0 is any free one" })
        .example("$0 record -- npx playwright test", "Then: pagespan import pagespan-….otlp.jsonl.gz")
        .example("$0 record --name pr -o pr.gz -- npm test", "Then: pagespan assert --budgets --file pr.gz"),
    async ({ "--": words = [], ...options }) => {
      process.exit(await record({ ...options, command: words as string[] }).catch(reportError))
    },
  )
}

interface RecordOptions {
  readonly command: readonly string[]
  readonly output?: string | undefined
  readonly name?: string | undefined
  readonly port: number
}

/**
 * `pagespan record -- <command>`: the program reports to an inspector of its own. When it has ended, everything that is
 * stored is written as gzipped lines of OTLP/JSON, also when the program failed.
 *
 * @returns the exit code of the program.
 */
async function record({ command, output, name, port }: RecordOptions): Promise<number> {
  const [program, ...parameters] = command
  if (program === undefined)
    throw new CommandError("record needs a command, like: pagespan record -- npm test", EXIT.usage)
  const inherited = { ...process.env }
  const run = runName(name)
  const path = output ?? `pagespan-${run.replaceAll(/[^\w.-]/g, "_")}.otlp.jsonl.gz`
  // Opened before the program runs, so that a path that cannot be written costs no run of it.
  const file = await openFile(partOf(path), path)
  const { startTemporaryInspector } = await import("../temporary-inspector.ts")
  const temporary = await startTemporaryInspector({ port, withScreens: true })
  warnOfOtherEndpoint(inherited, temporary.url)
  const env = temporaryEnvironment(inherited, temporary.url, run, path)
  const code = await runReporting(program, parameters, env)
  // The recording is finished whatever signal arrives now: it takes seconds.
  for (const signal of END_SIGNALS) process.on(signal, ignore)
  try {
    await temporary.stored()
    const { emptyRecording } = await import("../../inspector/queries/recording/recording.ts")
    const counts = emptyRecording()
    await pipeline(Readable.from(newlines(temporary.inspector.queries.recording(counts))), createGzip(), file)
    await rename(partOf(path), path)
    report(path, (await stat(path)).size, counts, inherited)
  } finally {
    await rm(partOf(path), { force: true })
    await temporary.stop()
  }
  return code
}

function ignore(): void {}

/** A recording that is not complete does not have the name of one. */
function partOf(path: string): string {
  return `${path}.part`
}

async function* newlines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

function report(path: string, bytes: number, counts: RecordingCounts, inherited: Environment): void {
  const { traces, spans, logs, errors, omittedSpans, dropped } = counts
  const what = [
    `${countText(spans, "span")} of ${countText(traces, "trace")}`,
    countText(logs, "log"),
    countText(errors, "error of Sentry", "errors of Sentry"),
  ]
  console.error(`pagespan: wrote ${path} (${byteText(bytes)}): ${what.join(", ")}`)
  if (omittedSpans > 0) console.error(`pagespan: ${countText(omittedSpans, "span")} of large traces are not in it`)
  if (dropped.length > 0) console.error(`pagespan: dropped: ${dropped.map(dropCountText).join(", ")}`)
  const endpoint = inherited["OTEL_EXPORTER_OTLP_ENDPOINT"]
  if (spans + logs + errors > 0) console.error(`pagespan: show it with: pagespan import ${path}`)
  else if (endpoint)
    console.error(`pagespan: nothing was recorded: OTEL_EXPORTER_OTLP_ENDPOINT is set, so the program reports there`)
  else
    console.error(
      "pagespan: nothing was recorded: neither the program nor an app that it started sent OpenTelemetry or Sentry data",
    )
}
