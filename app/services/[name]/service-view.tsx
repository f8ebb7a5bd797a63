import Link from "next/link"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { IssueTable } from "#app/_overview/issue-table.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { formatRate } from "#app/_ui/format/time.ts"
import { FailedShare, IncompleteShare } from "#app/_ui/format/share.tsx"
import { RangeLinks } from "#app/_ui/input/choice-links.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"
import { formatMs } from "#app/routes/figures.ts"
import {
  incompleteTracesAddress,
  serviceAddress,
  tracesAddress,
  windowParameters,
} from "#app/services/service-address.ts"
import { cuts } from "#app/services/services-view.tsx"
import type { Issue } from "#otel/inspector/queries/errors/issue.ts"
import type { RouteSummary } from "#otel/inspector/queries/routes/route-reader.ts"
import {
  callsOf,
  countedMs,
  type ParsedServiceQuery,
  SERVICE_WINDOW,
} from "#otel/inspector/queries/services/service-query.ts"
import type {
  ServiceDetail,
  ServiceList,
  ServiceSummary,
  ServiceTrace,
} from "#otel/inspector/queries/services/service-reader.ts"
import { CallTable } from "./call-table.tsx"
import { EntryTable } from "./entry-table.tsx"
import { OperationTable, RouteLinks } from "./operation-table.tsx"
import { ServiceCharts } from "./service-charts.tsx"
import styles from "./service-view.module.css"

interface ServiceProps {
  readonly service: string
  readonly query: ParsedServiceQuery
  readonly parameters: URLSearchParams
}

interface ServiceViewProps extends ServiceProps {
  readonly figures: ServiceSummary
  readonly list: ServiceList
  readonly detail: ServiceDetail
  readonly incomplete: readonly ServiceTrace[]
  readonly routes: readonly RouteSummary[]
  readonly issues: readonly Issue[]
  /** Where releases of the service begin. */
  readonly marks: readonly ChartMark[]
  readonly own: InternalTelemetry
  readonly renderedAt: number
}

/** One service: its figures, who calls it, whom it calls, and what to open next. */
export function ServiceView(props: ServiceViewProps) {
  const { service, figures, list, detail, incomplete, routes, issues, marks, query, parameters, own, renderedAt } =
    props
  const { callers, callees } = callsOf(list, service)
  const colours = serviceColours(list.services.map((one) => one.service))
  const common = { colours, search: withParameters("", parameters, { sort: undefined }) }
  return (
    <RefreshOnLive own={own.services.includes(service) ? { ...own, isHidden: false } : own}>
      <Head service={service} query={query} parameters={parameters}>
        <Link href={tracesAddress(service, query.filter, query.range)} prefetch={false}>
          View traces
        </Link>
        <InternalTelemetrySwitch isHidden={own.isHidden} />
      </Head>
      <Notices notices={[...query.notices, ...cuts(list)]} />
      <div className={styles.parts}>
        <Figures figures={figures} lengthMs={countedMs(list, query.range)} />
        <ServiceCharts
          marks={marks}
          trend={detail.trend}
          steps={{
            fromMs: Number(query.steps.from / 1_000_000n),
            stepMs: query.steps.stepMs,
            count: query.steps.count,
          }}
          path={serviceAddress(service)}
          parameters={parameters.toString()}
        />
        <div className={styles.halves}>
          <CallTable title="Called by" calls={callers} of="caller" {...common} />
          <CallTable title="Calls" calls={callees} of="callee" {...common} />
        </div>
        <OperationTable service={service} operations={detail.operations} query={query} />
        <RouteLinks routes={routes} window={windowParameters(query.range)} service={service} />
        <div className={styles.halves}>
          <EntryTable title="Slowest" entries={detail.slowest} renderedAt={renderedAt} />
          <EntryTable title="Latest failed" entries={detail.failing} renderedAt={renderedAt} />
        </div>
        {incomplete.length > 0 && (
          <EntryTable title="Latest incomplete" entries={incomplete} renderedAt={renderedAt}>
            Their parent spans are not stored: not sampled, not sent here, or dropped.{" "}
            <Link href={incompleteTracesAddress(service, query.filter, query.range)} prefetch={false}>
              View all incomplete traces
            </Link>
          </EntryTable>
        )}
      </div>
      <IssueTable
        issues={issues}
        address={`/errors?${new URLSearchParams({ service, ...windowParameters(query.range) })}`}
        renderedAt={renderedAt}
      />
    </RefreshOnLive>
  )
}

function Figures({ figures, lengthMs }: { figures: ServiceSummary; lengthMs: number }) {
  const { count, p50, p95 } = figures
  return (
    <dl className={styles.figures}>
      <div>
        <dt>Rate</dt>
        <dd>
          {formatRate(count, lengthMs)} <small>{countOf(count, "entry", "entries")}</small>
        </dd>
      </div>
      <div>
        <dt>Errors</dt>
        <dd>
          <FailedShare {...figures} />
        </dd>
      </div>
      <div>
        <dt>p50</dt>
        <dd>{formatMs(p50)}</dd>
      </div>
      <div>
        <dt>p95</dt>
        <dd>{formatMs(p95)}</dd>
      </div>
      <div>
        <dt>Incomplete</dt>
        <dd>
          <IncompleteShare {...figures} /> <small>of {countOf(figures.traces, "trace")}</small>
        </dd>
      </div>
    </dl>
  )
}

function Head({ service, query, parameters, children }: ServiceProps & { readonly children?: React.ReactNode }) {
  const { range, filter } = query
  const path = serviceAddress(service)
  return (
    <>
      <p className={styles.back}>
        <Link href={withParameters("/services", parameters, {})} prefetch={false}>
          ← All services
        </Link>
      </p>
      <ScreenBar title={<bdi>{shownName(service)}</bdi>}>
        <RangeLinks
          path={path}
          parameters={parameters}
          since={range.since}
          until={range.untilText}
          byDefault={SERVICE_WINDOW}
        />
        {filter !== "" && (
          <p>
            Only traces that match <code>{shownText(filter)}</code>{" "}
            <Link href={withParameters(path, parameters, { q: undefined })} prefetch={false}>
              Clear filter
            </Link>
          </p>
        )}
        {children}
      </ScreenBar>
    </>
  )
}

/** An unknown service, or one without spans in the time range; the store does not distinguish them. */
export function NoService(props: ServiceProps) {
  const { problem } = props.query
  return (
    <>
      <Head {...props} />
      <Notices notices={props.query.notices} />
      {problem === undefined ? (
        <Message title="No data for this service in this time range" level={2}>
          <p>
            Try a longer time range. <Link href="/services">All services</Link>
          </p>
        </Message>
      ) : (
        <Message title="The filter is invalid" level={2}>
          <p>{shownText(problem.message)}</p>
        </Message>
      )}
    </>
  )
}
