import { type AppFiles, findScript, readText } from "./app-files.ts"
import { Draft } from "./draft.ts"
import { sentryFiles, tracingOptions } from "./edit-sentry.ts"
import { ENV_FILES } from "./env-file.ts"
import { leftToAuthor, type Note } from "./edit.ts"
import { child, nameOf, stringOf } from "./syntax.ts"

const VARIABLE = "OTEL_TRACES_SAMPLER"
const SAMPLER = "tracesSampler"
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
  const [first, ...others] = isSet ? [] : paths.flatMap((path) => samplingsOf(app, path))
  if (first === undefined) return undefined
  const other = others.find(({ share }) => share !== first.share)
  const also = other === undefined ? "" : ` (in ${other.path}: ${other.share}; page and server have one share now)`
  const { path, share } = first
  if (share === SAMPLER)
    return leftToAuthor(
      path,
      `${EVERYTHING}, in place of those that ${share} selects${also}`,
      lines("0.1 # for example"),
    )
  const before = Number.isNaN(Number(share)) ? `in place of the share ${share}` : `where tracesSampleRate was ${share}`
  return leftToAuthor(path, `${EVERYTHING}, ${before}${also}. The variables for the same share are`, lines(share))
}

function isSetIn(app: AppFiles, file: string): boolean {
  return /^[ \t]*(?:export[ \t]+)?OTEL_TRACES_SAMPLER[ \t]*=/m.test(readText(app.directory, file) ?? "")
}

interface Sampling {
  readonly path: string
  /** The share as the file has it, or `tracesSampler`. */
  readonly share: string
}

/** Those of a file by which not all traces were sent. */
function samplingsOf(app: AppFiles, path: string): Sampling[] {
  const program = Draft.open(app, path)?.program
  return (program === undefined ? [] : tracingOptions(program)).flatMap((option) => {
    const key = child(option, "key")
    if ((nameOf(key) ?? stringOf(key)) === SAMPLER) return { path, share: SAMPLER }
    const value = child(option, "value")
    if (value === undefined || (value.type === "NumericLiteral" && value["value"] === 1)) return []
    return { path, share: (readText(app.directory, path) ?? "").slice(value.start, value.end) }
  })
}

function lines(rate: string): string[] {
  return [`${VARIABLE}=traceidratio`, `${VARIABLE}_ARG=${rate}`]
}
