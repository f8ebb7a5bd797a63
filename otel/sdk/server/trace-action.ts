import { type Span, SpanStatusCode, trace } from "@opentelemetry/api"
import { FILTERED, isSecretKey } from "../../protocol/redact.ts"
import { safely } from "../safely.ts"
import { digestOf, textOf } from "../sentry/error-digest.ts"
import { recordError } from "./request-errors.ts"

/** What of a server action may be told. Default: nothing but that it ran, and how it went. */
export interface ActionOptions {
  /** The form that the action was given, of which the named fields are told. */
  readonly form?: FormData
  /** Names of the form's fields to tell. Default: none. */
  readonly fields?: readonly string[]
  /** Whether what the action returns is told, as JSON. Default: `false`. */
  readonly result?: boolean
}

/** Of a field and of a result, in characters: the first lines say what was meant. */
const TOLD_CHARACTERS = 1_024
const FORM_PREFIX = "server_action.form."
const RESULT = "server_action.result"

/** Next's digests of what is no failure, and the word that Sentry and gRPC have for it. */
const STEERING: readonly (readonly [digest: RegExp, word: string | undefined])[] = [
  [/^NEXT_REDIRECT;/, undefined],
  [/^NEXT_HTTP_ERROR_FALLBACK;401/, "unauthenticated"],
  [/^NEXT_HTTP_ERROR_FALLBACK;403/, "permission_denied"],
  [/^NEXT_HTTP_ERROR_FALLBACK;404/, "not_found"],
]

/**
 * Runs what a server action does as a span of its own, named `serverAction/<name>`, on the trace of its request. What it
 * throws is thrown on, and reported once, by `onRequestError`.
 *
 * @param name of the action, like `saveCart`.
 */
export function traceAction<Result>(
  name: string,
  options: ActionOptions,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const attributes = { "sentry.op": "function.server_action", ...formAttributes(options) }
  return trace.getTracer("pagespan").startActiveSpan(`serverAction/${name}`, { attributes }, async (span) => {
    try {
      const result = await action()
      if (options.result === true) tellResult(span, result)
      return result
    } catch (thrown) {
      // What the action threw is what its caller gets, even if it cannot be read.
      safely(() => tellFailure(span, thrown))
      throw thrown
    } finally {
      span.end()
    }
  })
}

function formAttributes({ form, fields = [] }: ActionOptions): Record<string, string[]> {
  const attributes: Record<string, string[]> = {}
  safely(() => {
    for (const field of fields) {
      const values = form?.getAll(field) ?? []
      if (values.length > 0) attributes[`${FORM_PREFIX}${field}`] = values.map(told)
    }
  })
  return attributes
}

function told(value: FormDataEntryValue): string {
  return typeof value === "string" ? value.slice(0, TOLD_CHARACTERS) : `a file of ${value.size} bytes`
}

function tellResult(span: Span, result: unknown): void {
  // What cannot be written as JSON is not recorded: the action must not fail for it.
  safely(() => {
    const text = JSON.stringify(result, (key, value: unknown) => (isSecretKey(key) ? FILTERED : value))
    if (text !== undefined) span.setAttribute(RESULT, text.slice(0, TOLD_CHARACTERS))
  })
}

function tellFailure(span: Span, thrown: unknown): void {
  const steering = STEERING.find(([digest]) => digest.test(digestOf(thrown) ?? ""))
  if (steering === undefined) {
    recordError(span, thrown, textOf(thrown))
    span.setStatus({ code: SpanStatusCode.ERROR })
  } else if (steering[1] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: steering[1] })
}
