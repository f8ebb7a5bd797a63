import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { constants } from "node:os"
import type { Environment } from "../protocol/config-values.ts"
import { withInheritedUmask } from "../protocol/private-files.ts"
import { NO_RECORDING, RECORDING_VARIABLE } from "../protocol/recording-variable.ts"
import { RUN_NAME } from "../inspector/queries/list/run.ts"
import { CommandError, EXIT } from "./exit.ts"
import { isAt, namedCollector } from "./named-collector.ts"

/** A program that reports to an inspector: its environment, its signals and its exit code. */

/** The exit code that shells use for a program which cannot be found. */
const NOT_FOUND = 127
/** Shells add the number of the signal that ended the program. */
const SIGNALED = 128

/** A name for a run that the user did not name. */
export function newRunName(): string {
  return randomBytes(4).toString("hex")
}

/**
 * The name of a run, by default one that `newRunName` makes.
 *
 * @throws {CommandError} if the filter `run:<name>` could not find it.
 */
export function runName(given: string | undefined): string {
  if (given === undefined) return newRunName()
  if (RUN_NAME.test(given)) return given
  throw new CommandError(
    `--name is ${JSON.stringify(given)}: a run's name has 1 to 100 letters, digits and . _ : / @ + -, and begins with a letter or digit`,
    EXIT.usage,
  )
}

/** Runs the program to its end and returns its exit code. Its signals pass through. Never rejects. */
export function runReporting(program: string, parameters: readonly string[], env: Environment): Promise<number> {
  const child = withInheritedUmask(() =>
    spawn(program, parameters, { stdio: "inherit", env: env as NodeJS.ProcessEnv }),
  )
  return exitCodeOf(child, program)
}

async function exitCodeOf(child: ChildProcess, program: string): Promise<number> {
  // Ctrl-C reaches the whole process group: the program handles it, and Pagespan exits after the program.
  const forward = (signal: NodeJS.Signals) => void child.kill(signal)
  process.on("SIGINT", ignore).on("SIGTERM", forward).on("SIGHUP", forward)
  try {
    return await new Promise<number>((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        console.error(`pagespan: ${program} cannot be run (${error.code})`)
        resolve(NOT_FOUND)
      })
      child.once("exit", (code, signal) => resolve(code ?? SIGNALED + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    process.off("SIGINT", ignore).off("SIGTERM", forward).off("SIGHUP", forward)
  }
}

function ignore(): void {}

const RUN_ATTRIBUTE = "pagespan.run"

/**
 * The variables that point the OpenTelemetry or Sentry SDK of a program at the inspector. A variable that is set already
 * keeps its value. The resource attribute `pagespan.run` marks everything that the program sends.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @see https://spotlightjs.com/docs/setup/
 */
export function reportingEnvironment(inherited: Environment, url: string, run: string): Record<string, string> {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    SENTRY_SPOTLIGHT: `${url}/stream`,
    NEXT_PUBLIC_SENTRY_SPOTLIGHT: `${url}/stream`,
    SENTRY_TRACES_SAMPLE_RATE: "1.0",
  }
  const unset = Object.entries(variables).filter(([name]) => !inherited[name])
  return { ...Object.fromEntries(unset), OTEL_RESOURCE_ATTRIBUTES: withRun(inherited["OTEL_RESOURCE_ATTRIBUTES"], run) }
}

/**
 * The environment of a program that reports to an inspector which ends with it.
 *
 * @param recording the file that remains of what the inspector received. Default: none.
 */
export function temporaryEnvironment(
  inherited: Environment,
  url: string,
  run: string,
  recording = NO_RECORDING,
): Environment {
  const isDestination = namedCollector(inherited) === undefined && !inherited["PAGESPAN_URL"]
  return {
    ...inherited,
    ...reportingEnvironment(inherited, url, run),
    ...(isDestination && { [RECORDING_VARIABLE]: recording }),
  }
}

/** Warns if a variable sends the program's spans to another collector than the inspector. */
export function warnOfOtherEndpoint(inherited: Environment, url: string): void {
  const named = namedCollector(inherited)
  if (named === undefined || isAt(named, url)) return
  console.error(
    `pagespan: ${named.variable} is set already, so the program sends its spans there and not to ${url}: unset it to see them here`,
  )
}

function withRun(attributes: string | undefined, run: string): string {
  // Letters beyond ASCII are percent-encoded there.
  const attribute = `${RUN_ATTRIBUTE}=${encodeURI(run)}`
  if (!attributes) return attribute
  return attributes.includes(`${RUN_ATTRIBUTE}=`) ? attributes : `${attributes},${attribute}`
}
