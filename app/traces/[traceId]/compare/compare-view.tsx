import Link from "next/link"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { Moment } from "#app/_ui/format/moment.tsx"
import { formatDuration } from "#app/_ui/format/time.ts"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { CHANGE_NANOS, CHANGE_SHARE, type ComparedPath } from "#otel/inspector/queries/trace/compare-traces.ts"
import type { TypicalTrace, TypicalTraces } from "#otel/inspector/queries/compare/compare-reader.ts"
import styles from "./compare-view.module.css"
import { PathTable } from "./path-table.tsx"

export interface ComparedTrace {
  readonly traceId: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly durationNano: string
  readonly spanCount: number
  readonly errorCount: number
}

type OfferedTrace = Pick<ComparedTrace, "traceId" | "startTimeUnixNano" | "durationNano">

const NO_PATHS: readonly ComparedPath[] = []

interface CompareViewProps {
  readonly after: ComparedTrace
  readonly before?: ComparedTrace | undefined
  /** The first paths, in tree order. */
  readonly paths?: readonly ComparedPath[]
  readonly pathCount?: number
  readonly typical: TypicalTraces
  readonly offered: readonly OfferedTrace[]
  readonly problem?: string
}

/** Compares two traces by span path: added and removed spans, slower and faster ones. */
export function CompareView(props: CompareViewProps) {
  const { after, before, paths = NO_PATHS, pathCount = 0, typical, offered, problem } = props
  return (
    <div className={styles.view}>
      <header>
        <h1>
          Compare <bdi>{shownName(after.name)}</bdi>
        </h1>
        <Link href={`/traces/${after.traceId}`} prefetch={false}>
          Back to the trace
        </Link>
      </header>
      <TypicalBaselines after={after} before={before} typical={typical} />
      <Notices
        notices={[
          ...(problem === undefined ? [] : [problem]),
          ...(pathCount > paths.length
            ? [`Showing the first ${formatCount(paths.length)} of ${countOf(pathCount, "path")}, in tree order.`]
            : []),
        ]}
      />
      {before !== undefined && (
        <>
          <ScrollBox label="The two traces" sideways>
            <Sides before={before} after={after} />
          </ScrollBox>
          <PathTable paths={paths} />
          <p className={styles.rule}>
            Spans match by service and name below the same path. Slower and faster mean a difference of at least{" "}
            {CHANGE_SHARE * 100} % and {formatDuration(BigInt(CHANGE_NANOS))}.
          </p>
        </>
      )}
      <Choice after={after} before={before} offered={offered} />
    </div>
  )
}

function Sides({ before, after }: { before: ComparedTrace; after: ComparedTrace }) {
  return (
    <table className={styles.sides} aria-label="The two traces">
      <thead>
        <tr>
          <th scope="col">Trace</th>
          <th scope="col">Started</th>
          <th scope="col">Duration</th>
          <th scope="col">Spans</th>
          <th scope="col">Errors</th>
        </tr>
      </thead>
      <tbody>
        {[
          { word: "Baseline", trace: before },
          { word: "Current", trace: after },
        ].map(({ word, trace }) => (
          <tr key={word}>
            <th scope="row">
              {word}{" "}
              <Link href={`/traces/${trace.traceId}`} prefetch={false}>
                <code>{trace.traceId.slice(0, 8)}</code>
              </Link>
            </th>
            <td>
              <Moment unixNano={trace.startTimeUnixNano} />
            </td>
            <td>{formatDuration(BigInt(trace.durationNano))}</td>
            <td>{formatCount(trace.spanCount)}</td>
            <td>{formatCount(trace.errorCount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface TypicalBaselinesProps extends Pick<CompareViewProps, "after" | "before" | "typical"> {}

/** The baselines that most comparisons need: what is usual, what was usual a day earlier, and what is possible. */
function TypicalBaselines({ after, before, typical }: TypicalBaselinesProps) {
  const { count, median, fastest, yesterdayCount, yesterdayMedian } = typical
  const choices: readonly (readonly [label: string, trace: TypicalTrace | undefined, of: number])[] = [
    ["Median", median, count],
    ["Median a day earlier", yesterdayMedian, yesterdayCount],
    ["Fastest", fastest, count],
  ]
  return (
    <nav aria-label="Typical traces of this route" className={styles.typical}>
      {choices.map(([label, trace, of]) =>
        trace === undefined ? null : (
          <Link
            key={label}
            href={`/traces/${after.traceId}/compare?with=${trace.traceId}`}
            prefetch={false}
            aria-current={trace.traceId === before?.traceId ? "true" : undefined}
          >
            {label} <b>{formatDuration(trace.duration)}</b>
            <small>
              of {countOf(of, "trace")} · <Moment unixNano={trace.startTime} />
              {trace.release !== "" && ` · ${shownName(trace.release)}`}
            </small>
          </Link>
        ),
      )}
    </nav>
  )
}

function Choice({ after, before, offered }: Pick<CompareViewProps, "after" | "before" | "offered">) {
  return (
    <section className={styles.choice}>
      <h2>{before === undefined ? "Choose a baseline" : "Choose another baseline"}</h2>
      <form action={`/traces/${after.traceId}/compare`} method="get">
        <label>
          Trace ID <input name="with" required pattern="[0-9a-fA-F]{32}" spellCheck={false} autoComplete="off" />
        </label>{" "}
        <button type="submit">Compare</button>
      </form>
      {offered.length === 0 ? (
        <p>No other stored trace has a root span with the same service and name.</p>
      ) : (
        <details>
          <summary>{countOf(offered.length, "other trace")}, newest first</summary>
          <ul>
            {offered.map(({ traceId, startTimeUnixNano, durationNano }) => (
              <li key={traceId} aria-current={traceId === before?.traceId ? "true" : undefined}>
                <Link href={`/traces/${after.traceId}/compare?with=${traceId}`} prefetch={false}>
                  <Moment unixNano={startTimeUnixNano} />
                </Link>{" "}
                <span>{formatDuration(BigInt(durationNano))}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
