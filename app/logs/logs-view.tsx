import Link from "next/link"
import { Suspense } from "react"
import { FilterBar } from "#app/_filter/filter-bar.tsx"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
import type { Deferred } from "#app/_query/defer.ts"
import { ListResult } from "#app/_query/list-result.tsx"
import { SlowQuery } from "#app/_query/slow-query.tsx"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { LiveLogs } from "#app/logs/live-logs.tsx"
import { LogFacets } from "#app/logs/log-facets.tsx"
import { LogHistogram } from "#app/logs/log-histogram.tsx"
import type { LogCounts } from "#app/logs/read-log-counts.ts"
import type { FilterProblem } from "#otel/inspector/queries/filters.ts"
import { logToJson } from "#otel/inspector/queries/logs/log-json.ts"
import type { LogFacets as Facets, LogList } from "#otel/inspector/queries/logs/log-reader.ts"
import { SHOWN_TEXT_LIMIT } from "#otel/inspector/queries/trace/span-detail.ts"
import styles from "./logs-view.module.css"

interface LogsViewProps {
  /** `undefined` when the filter does not parse. */
  readonly result: Deferred<LogList> | undefined
  readonly counts: Promise<LogCounts | undefined> | undefined
  readonly facets: Promise<Facets | undefined> | undefined
  /** Where releases begin. */
  readonly marks: Promise<readonly ChartMark[]> | undefined
  readonly place: ListPlace
  /** Cursor after which the page starts. */
  readonly after: string | undefined
  readonly problem: FilterProblem | undefined
  readonly notices: readonly string[]
}

export function LogsView({ result, counts, facets, marks, place, after, problem, notices }: LogsViewProps) {
  // A new key suspends again, instead of keeping the previous counts on screen.
  const countKey = JSON.stringify([place.filter, place.since, place.until])
  const isEverything = place.filter === "" && place.since === undefined && place.until === undefined
  return (
    <div className={styles.screen}>
      <h1 className="visually-hidden">Logs</h1>
      <FilterBar path="/logs" place={place} problem={problem} />
      <Notices notices={notices} />
      {result !== undefined && counts !== undefined && facets !== undefined && marks !== undefined && (
        <div className={styles.body}>
          <LogFacets countKey={countKey} place={place} facets={facets} />
          <div className={styles.main}>
            <Suspense key={countKey} fallback={<div className={styles.chart} />}>
              <div className={styles.chart}>
                <LogHistogram counts={counts} marks={marks} place={place} />
              </div>
            </Suspense>
            {result.is === "pending" && <SlowQuery key={result.id} id={result.id} ended={result.ended} />}
            <Suspense key={JSON.stringify([place, after])} fallback={<div className={styles.wait} />}>
              <ListResult result={result} address={listAddress({ ...place, after }, "/logs")}>
                {({ logs, next }) => (
                  <LiveLogs
                    logs={logs.map((log) => logToJson(log, SHOWN_TEXT_LIMIT))}
                    next={next}
                    counts={counts}
                    place={place}
                    after={after}
                  >
                    {isEverything ? <NoLogsYet /> : <NoMatch />}
                  </LiveLogs>
                )}
              </ListResult>
            </Suspense>
          </div>
        </div>
      )}
    </div>
  )
}

function NoMatch() {
  return <p className={styles.none}>No log matches. New matches appear here live.</p>
}

function NoLogsYet() {
  return (
    <Message title="No logs yet" level={2}>
      <p>
        Send logs over OTLP (<code>OTEL_LOGS_EXPORTER=otlp</code>, to <code>/v1/logs</code>), or with a Sentry SDK (
        <code>enableLogs: true</code>). A log that is written while a span is active appears in its trace as well.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
