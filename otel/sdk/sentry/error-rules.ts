import type { Event } from "@sentry/core"
import type { ErrorFacts, ErrorRules, Pattern } from "../filters.ts"
import { safely } from "../../protocol/safely.ts"
import type { FilterFailed } from "./apply-filters.ts"
import { digestOf } from "./error-digest.ts"

/** The facts for error filters, from the Sentry client's event and the thrown value. */
export function errorFacts(event: Event, thrown: unknown, side: ErrorFacts["side"]): ErrorFacts {
  const exception = event.exception?.values?.at(-1)
  const scripts = exception?.stacktrace?.frames?.flatMap(({ filename }) => filename || []) ?? []
  // Not `toReversed`: it runs in pages too, and Firefox has it from version 115 on, Next from 111.
  scripts.reverse()
  return {
    side,
    type: exception?.type ?? "",
    message: exception?.value ?? event.message ?? "",
    digest: digestOf(thrown),
    scripts,
  }
}

/** File names of frames without a script. */
const NO_SCRIPT = /^(?:<anonymous>|\[native code\])$/

/**
 * Sentry's inbound rules, as its `eventFiltersIntegration` applies them. A pattern that fails lets the error pass.
 *
 * @returns the rule that drops the error, if there is one.
 * @see https://docs.sentry.io/platforms/javascript/configuration/filtering/
 */
export function brokenRule(
  event: Event,
  rules: ErrorRules,
  failed: FilterFailed,
): "ignoreErrors" | "denyUrls" | "allowUrls" | undefined {
  const { ignoreErrors = [], denyUrls = [], allowUrls = [] } = rules
  const ignoring = { rule: "ignoreErrors", passing: false, failed }
  if (texts(event).some((text) => matchesAny(text, ignoreErrors, ignoring))) return "ignoreErrors"
  const url = scriptOf(event)
  if (url === undefined) return undefined
  if (matchesAny(url, denyUrls, { rule: "denyUrls", passing: false, failed })) return "denyUrls"
  const isAllowed = allowUrls.length === 0 || matchesAny(url, allowUrls, { rule: "allowUrls", passing: true, failed })
  return isAllowed ? undefined : "allowUrls"
}

function texts(event: Event): string[] {
  const { type, value } = event.exception?.values?.at(-1) ?? {}
  return [event.message, value, type && value && `${type}: ${value}`].filter((text) => typeof text === "string")
}

/** The script that threw the root exception, which is the exception of the chain that has no parent. */
function scriptOf(event: Event): string | undefined {
  const exceptions = event.exception?.values ?? []
  const root =
    exceptions.findLast(({ mechanism, stacktrace }) => mechanism?.parent_id === undefined && stacktrace?.frames) ??
    exceptions.at(-1)
  return root?.stacktrace?.frames?.findLast(({ filename }) => filename !== undefined && !NO_SCRIPT.test(filename))
    ?.filename
}

/**
 * Whether a text contains or matches one of the patterns.
 *
 * @param rule name of the patterns' option in `setFilters`.
 * @param passing the result for a pattern that fails: the one that lets the data pass.
 */
function matchesAny(
  text: string,
  patterns: readonly Pattern[],
  { rule, passing, failed }: { readonly rule: string; readonly passing: boolean; readonly failed: FilterFailed },
): boolean {
  const matches = (pattern: Pattern) =>
    safely(
      () => {
        if (typeof pattern === "string") return text.includes(pattern)
        // A pattern with one of these flags starts where its last match ended. Others may be frozen.
        if (pattern.global || pattern.sticky) pattern.lastIndex = 0
        return pattern.test(text)
      },
      (error) => {
        failed(rule, error)
        return passing
      },
    )
  return safely(
    () => patterns.some(matches),
    (error) => {
      failed(rule, error)
      return passing
    },
  )
}
