import type { Event } from "@sentry/core"
import type { ErrorRules, Pattern } from "../model/filters.ts"

/** Files that Sentry does not take for the place where an error happened. */
const NO_PLACES: ReadonlySet<string> = new Set(["<anonymous>", "[native code]"])

/**
 * Sentry's inbound rules, as its `eventFiltersIntegration` applies them.
 *
 * @returns which rule says that an error is not reported.
 * @see https://docs.sentry.io/platforms/javascript/configuration/filtering/
 */
export function brokenRule(event: Event, rules: ErrorRules): "ignoreErrors" | "denyUrls" | "allowUrls" | undefined {
  if (texts(event).some((text) => matchesAny(text, rules.ignoreErrors))) return "ignoreErrors"
  const url = placeOf(event)
  if (url === undefined) return undefined
  if (matchesAny(url, rules.denyUrls)) return "denyUrls"
  return rules.allowUrls === undefined || rules.allowUrls.length === 0 || matchesAny(url, rules.allowUrls)
    ? undefined
    : "allowUrls"
}

function texts(event: Event): string[] {
  const { type, value } = event.exception?.values?.at(-1) ?? {}
  return [event.message, value, type && value && `${type}: ${value}`].filter((text) => typeof text === "string")
}

/** The script that the root exception was thrown in: of a chain, the one that no other caused. */
function placeOf(event: Event): string | undefined {
  const exceptions = event.exception?.values ?? []
  const root =
    exceptions.findLast(({ mechanism, stacktrace }) => mechanism?.parent_id === undefined && stacktrace?.frames) ??
    exceptions.at(-1)
  return root?.stacktrace?.frames?.findLast(({ filename }) => filename !== undefined && !NO_PLACES.has(filename))
    ?.filename
}

function matchesAny(text: string, patterns: readonly Pattern[] = []): boolean {
  return patterns.some((pattern) => {
    if (typeof pattern === "string") return text.includes(pattern)
    // A pattern with the `g` flag remembers where it stopped.
    pattern.lastIndex = 0
    return pattern.test(text)
  })
}
