import Link from "next/link"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import type { Comparison } from "#otel/inspector/queries/compare/compare.ts"
import type { ParsedCompareQuery } from "#otel/inspector/queries/compare/compare-query.ts"
import { FEWEST, STANDARD_ERRORS } from "#otel/inspector/queries/compare/comparison.ts"
import type { Preset } from "#otel/inspector/queries/compare/presets.ts"
import { CHANGE_NANOS, CHANGE_SHARE } from "#otel/inspector/queries/trace/compare-traces.ts"
import { compareAddress } from "./compare-address.ts"
import { CompareForm } from "./compare-form.tsx"
import { PathComparison, RouteComparison } from "./compare-table.tsx"
import styles from "./compare.module.css"

interface CompareViewProps {
  readonly query: ParsedCompareQuery
  readonly presets: readonly Preset[]
  /** `undefined` where both sides are the same, or a filter does not parse. */
  readonly comparison: Comparison | undefined
  readonly own: InternalTelemetry
}

/** Two sets of traces side by side: releases, runs, or two windows of one filter. */
export function CompareView({ query, presets, comparison, own }: CompareViewProps) {
  const { a, b } = query
  const hasProblem = a.problem !== undefined || b.problem !== undefined
  return (
    <>
      <ScreenBar title="Compare">
        <Presets presets={presets} query={query} />
        <InternalTelemetrySwitch isHidden={own.isHidden} />
      </ScreenBar>
      <CompareForm a={a} b={b} />
      <Notices notices={comparison === undefined ? query.notices : [...query.notices, ...cuts(comparison, query)]} />
      {comparison === undefined && !hasProblem && (
        <Message title="Choose what to compare" level={2}>
          <p>Choose one of the comparisons above, or write two filters such as release:2.13.0 and release:2.14.0.</p>
        </Message>
      )}
      {comparison !== undefined && <Result comparison={comparison} query={query} />}
    </>
  )
}

const KINDS = { time: "Time", release: "Release", run: "Run" } as const

function Presets({ presets, query: { a, b } }: { presets: readonly Preset[]; query: ParsedCompareQuery }) {
  const current = compareAddress(a, b)
  return (
    <nav aria-label="Compare with" className={styles.presets}>
      {presets.map((preset) => {
        const href = compareAddress(preset.a, preset.b)
        return (
          <Link key={href} href={href} prefetch={false} aria-current={href === current ? "true" : undefined}>
            {preset.kind !== "time" && <small>{KINDS[preset.kind]} </small>}
            <bdi>{shownName(preset.label)}</bdi>
          </Link>
        )
      })}
    </nav>
  )
}

function Result({ comparison, query }: { comparison: Comparison; query: ParsedCompareQuery }) {
  const { a, b, routes, spanPaths } = comparison
  const { limit } = query
  if (a.traces === 0 && b.traces === 0) return <NoTraces />
  return (
    <div className={styles.result}>
      <p>
        {countOf(a.traces, "trace")} in the baseline, {countOf(b.traces, "trace")} in the current side. What differs by
        more than chance comes first.
      </p>
      {routes.length > 0 && (
        <section aria-labelledby="routes">
          <h2 id="routes">Routes</h2>
          <RouteComparison rows={routes.slice(0, limit)} sides={query} />
        </section>
      )}
      {spanPaths.length > 0 && (
        <section aria-labelledby="span-paths">
          <h2 id="span-paths">Span paths</h2>
          <PathComparison rows={spanPaths.slice(0, limit)} sides={query} />
        </section>
      )}
      <p>
        A difference is marked when it is at least {CHANGE_SHARE * 100} % and {CHANGE_NANOS / 1e6} ms, and more than{" "}
        {STANDARD_ERRORS} standard errors; else it is noise. Below {FEWEST.p50} on either side, and below {FEWEST.p95}{" "}
        for p95, there are too few to say.
      </p>
    </div>
  )
}

/** What the tables leave out. */
function cuts({ a, b, routes, routeCount, spanPaths }: Comparison, { limit }: ParsedCompareQuery): string[] {
  const isSampled = a.sampled < a.traces || b.sampled < b.traces
  const sample = `Span paths are measured in a sample: ${formatCount(a.sampled)} of the baseline’s traces, ${formatCount(b.sampled)} of the current ones.`
  return [
    ...(isSampled ? [sample] : []),
    ...cutNotice(Math.min(limit, routes.length), routeCount, "route"),
    ...cutNotice(Math.min(limit, spanPaths.length), spanPaths.length, "span path"),
  ]
}

function cutNotice(shown: number, all: number, what: string): string[] {
  return all > shown ? [`Showing the first ${formatCount(shown)} of ${countOf(all, what)}.`] : []
}

function NoTraces() {
  return (
    <Message title="Neither side has a trace" level={2}>
      <p>Set a longer time range, or other filters. The traces screen shows what a filter matches.</p>
    </Message>
  )
}
