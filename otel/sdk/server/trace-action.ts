import { type Span, SpanStatusCode, trace } from "@opentelemetry/api"
import { FILTERED, isSecretKey } from "../../protocol/redact.ts"
import { safely } from "../../protocol/safely.ts"
import { processState } from "../process-state.ts"
import { digestOf, textOf } from "../sentry/error-digest.ts"
import { recordError } from "./request-errors.ts"

/** What a server action's span records. By default only its name, its duration and whether it failed. */
export interface ActionOptions {
  /** The form that the action received. Only the fields in `fields` are recorded. */
  readonly form?: FormData
  /** Names of the form's fields to record, each up to 1,024 characters. Default: none. */
  readonly fields?: readonly string[]
  /** Whether to record the action's result as JSON, up to 1,024 characters. Values under secret keys are redacted. Default: `false`. */
  readonly result?: boolean
}

/** Most characters of a recorded field or result: enough to recognise it, and small beside a span. */
const RECORDED_CHARACTERS = 1_024
const FORM_PREFIX = "server_action.form."
const RESULT = "server_action.result"

/** Digests of Next's control flow, with the status that Sentry and gRPC have for it. A redirect is a success. */
const CONTROL_FLOW: readonly (readonly [digest: RegExp, status: string | undefined])[] = [
  [/^NEXT_REDIRECT;/, undefined],
  [/^NEXT_HTTP_ERROR_FALLBACK;401/, "unauthenticated"],
  [/^NEXT_HTTP_ERROR_FALLBACK;403/, "permission_denied"],
  [/^NEXT_HTTP_ERROR_FALLBACK;404/, "not_found"],
]

const unclaimed = processState<WeakSet<Span>>("unclaimed-actions")

/** The spans that were made for server actions, and which `traceAction` has not named. */
export function unclaimedActions(): WeakSet<Span> {
  return (unclaimed.value ??= new WeakSet())
}

/**
 * Runs a server action in a span named `serverAction/<name>`, on the trace of its request. Pagespan makes a span for each server
 * action by itself, named after the exported function and the route: within it, `traceAction` names that one.
 *
 * @param name name of the action, like `saveCart`.
 * @param options what the span records.
 * @param action the work of the action.
 * @returns the action's result.
 * @throws what the action throws, unchanged. `onRequestError` reports it once.
 *
 * @example
 * export async function saveCart(form: FormData) {
 *   "use server"
 *   return traceAction("saveCart", { form, fields: ["sku"] }, () => db.save(form))
 * }
 */
export function traceAction<Result>(
  name: string,
  options: ActionOptions,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const attributes = { "sentry.op": "function.server_action", ...formAttributes(options) }
  const made = trace.getActiveSpan()
  if (made !== undefined && unclaimedActions().delete(made)) {
    made.updateName(`serverAction/${name}`).setAttributes(attributes)
    return runNamed(made, options, action)
  }
  return trace.getTracer("pagespan").startActiveSpan(`serverAction/${name}`, { attributes }, async (span) => {
    try {
      const result = await action()
      if (options.result === true) recordResult(span, result)
      return result
    } catch (thrown) {
      // The caller gets what the action threw, even if recording it fails.
      safely(() => recordFailure(span, thrown))
      throw thrown
    } finally {
      span.end()
    }
  })
}

/** Runs the action in the span that was made for it, which records its failure and ends by itself. */
async function runNamed<Result>(
  span: Span,
  options: ActionOptions,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const result = await action()
  if (options.result === true) recordResult(span, result)
  return result
}

function formAttributes({ form, fields = [] }: ActionOptions): Record<string, string[]> {
  const attributes: Record<string, string[]> = {}
  safely(() => {
    for (const field of fields) {
      const values = form?.getAll(field) ?? []
      if (values.length > 0) attributes[`${FORM_PREFIX}${field}`] = values.map(fieldText)
    }
  })
  return attributes
}

function fieldText(value: FormDataEntryValue): string {
  return typeof value === "string" ? value.slice(0, RECORDED_CHARACTERS) : `a file of ${value.size} bytes`
}

function recordResult(span: Span, result: unknown): void {
  // A result without a JSON form is not recorded. The action must not fail for it.
  safely(() => {
    const text = JSON.stringify(result, (key, value: unknown) => (isSecretKey(key) ? FILTERED : value))
    if (text !== undefined) span.setAttribute(RESULT, text.slice(0, RECORDED_CHARACTERS))
  })
}

/** Records what an action threw. A redirect is a success. */
export function recordFailure(span: Span, thrown: unknown): void {
  const controlFlow = CONTROL_FLOW.find(([digest]) => digest.test(digestOf(thrown) ?? ""))
  if (controlFlow === undefined) {
    recordError(span, thrown, textOf(thrown))
    span.setStatus({ code: SpanStatusCode.ERROR })
  } else if (controlFlow[1] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: controlFlow[1] })
}
