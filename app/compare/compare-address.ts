import { listAddress } from "#app/_filter/list-address.ts"
import { addressOf } from "#app/_ui/input/parameters.ts"
import type { ComparedPath, ComparedRoute } from "#otel/inspector/queries/compare/compare.ts"
import type { CompareSide, ParsedSide } from "#otel/inspector/queries/compare/compare-query.ts"
import { COMPARED_WINDOW, previousWindow } from "#otel/inspector/queries/compare/presets.ts"
import { quoteIfNeeded, termText } from "#otel/inspector/queries/filters.ts"
import { LIST_PAGE_SIZE } from "#otel/inspector/queries/list/parameter-reader.ts"
import { momentText } from "#app/_ui/format/time.ts"

/** The screen with these sides. Defaults are left out. */
export function compareAddress(a: CompareSide, b: CompareSide): string {
  const parameters = new URLSearchParams()
  for (const [name, { filter, since, until }] of Object.entries({ a, b }))
    for (const [suffix, value] of Object.entries({ "": filter, Since: since, Until: until }))
      if (value !== undefined && value !== "") parameters.set(`${name}${suffix}`, value)
  return addressOf("/compare", parameters)
}

/** A window of some traces compared with the one before it. */
export function previousWindowAddress(
  filter: string,
  range: { readonly since: string | undefined; readonly until: string | undefined },
  nowMs: number,
): string {
  const b = { filter, since: range.since ?? COMPARED_WINDOW, until: range.until }
  return compareAddress(previousWindow(b, nowMs), b)
}

/** The list of a side's traces that match the term as well. The list takes moments where a window has an end. */
export function sideTraces({ filter, since, until, scope }: ParsedSide, term: string): string {
  const window = until === undefined ? { since, until } : { since: momentOf(scope.since), until: momentOf(scope.until) }
  return listAddress({
    filter: filter === "" ? term : `(${filter}) ${term}`,
    ...window,
    sort: undefined,
    limit: LIST_PAGE_SIZE,
    own: undefined,
  })
}

function momentOf(time: bigint | undefined): string | undefined {
  return time === undefined ? undefined : momentText(Number(time / 1_000_000n))
}

/** What a span of the route must match: its kind, and the route or the name that stands for it. */
export function routeTerm({ route, kind }: Pick<ComparedRoute, "route" | "kind">): string {
  const text = quoteIfNeeded(route)
  if (kind === "request") return `{kind:server route:${text}}`
  const ofKind = `sentry.op:${kind === "load" ? "pageload" : "navigation"}`
  return route === "unmatched" ? `{${ofKind} sentry.source:url}` : `{${ofKind} (route:${text} OR name=${text})}`
}

/** What a span at the end of the path must match. The language knows no ancestors. */
export function pathTerm({ path }: Pick<ComparedPath, "path">): string {
  const { service = "", name = "" } = path.at(-1) ?? {}
  return `{${termText("service", service)} name=${quoteIfNeeded(name)}}`
}
