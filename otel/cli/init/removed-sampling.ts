import { type AppFiles, findScript, readText } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { sentryFiles, tracingOptions } from "./edit-sentry.ts"
import { ENV_FILES } from "./env-file.ts"
import { leftToAuthor, type Note } from "./edit.ts"
import { child, nameOf, type Node, stringOf } from "./syntax.ts"

const VARIABLE = "OTEL_TRACES_SAMPLER"
const EVERYTHING = "Pagespan sends all traces, to Sentry too"

/**
 * The share of traces that a `Sentry.init` of the app selects, with the variables for the same share. It goes with the options that
 * `init` removes, so that only the run that removes them can say it.
 *
 * @returns `undefined` if the app sends all traces, or has the variable already.
 */
export function removedSampling(app: AppFiles): Note | undefined {
  const isSet = Boolean(process.env[VARIABLE]) || ENV_FILES.some((file) => isSetIn(app, file))
  const instrumentation = findScript(app, "instrumentation", "src/instrumentation")
  const paths = [...sentryFiles(app), ...(instrumentation === undefined ? [] : [instrumentation])]
  for (const path of isSet ? [] : paths) {
    const program = Draft.open(app, path)?.program
    const sampling = program && tracingOptions(program).flatMap((option) => samplingOf(app, path, option) ?? [])[0]
    if (sampling !== undefined) return sampling
  }
  return undefined
}

function isSetIn(app: AppFiles, file: string): boolean {
  return /^[ \t]*(?:export[ \t]+)?OTEL_TRACES_SAMPLER[ \t]*=/m.test(readText(app.directory, file) ?? "")
}

/** `undefined` if all traces were sent before, too. */
function samplingOf(app: AppFiles, path: string, option: Node): Note | undefined {
  const key = child(option, "key")
  if ((nameOf(key) ?? stringOf(key)) === "tracesSampler")
    return leftToAuthor(path, `${EVERYTHING}, in place of those that tracesSampler selects`, lines("0.1 # for example"))
  const value = child(option, "value")
  if (value === undefined) return undefined
  const rate = value.type === "NumericLiteral" ? Number(value["value"]) : undefined
  if (rate === 1) return undefined
  const source = (readText(app.directory, path) ?? "").slice(value.start, value.end)
  const before = rate === undefined ? `in place of the share ${source}` : `where tracesSampleRate was ${source}`
  return leftToAuthor(path, `${EVERYTHING}, ${before}. The variables for the same share are`, lines(source))
}

function lines(rate: string): string[] {
  return [`${VARIABLE}=traceidratio`, `${VARIABLE}_ARG=${rate}`]
}
