import Link from "next/link"
import type { ReactNode } from "react"
import type { SpanDetail } from "#otel/query/span-detail.ts"
import { CopyButton } from "#app/ui/copy-button.tsx"
import { formatDuration, formatNanoseconds } from "#app/ui/format-duration.ts"
import { formatMoment, isoTime } from "#app/ui/format-time.ts"
import { ErrorIcon, WarningIcon } from "#app/ui/icons.tsx"
import { sourceName } from "#app/ui/source-name.ts"
import { shownName, shownText } from "#app/ui/shown-text.ts"
import styles from "./span-panel.module.css"

export function SpanFacts({ span }: { span: SpanDetail }) {
  const start = BigInt(span.startTimeUnixNano)
  return (
    <dl className={styles.facts}>
      {span.status.code === "error" && (
        <Fact name="Status">
          <span className={styles.error}>
            <ErrorIcon /> Error{span.status.message !== "" && `: ${shownText(span.status.message)}`}
          </span>
        </Fact>
      )}
      {span.status.code === "ok" && <Fact name="Status">OK</Fact>}
      <Fact name="Duration">
        <Duration nanos={BigInt(span.durationNano)} />
      </Fact>
      <Fact name="Start">
        <div>
          {formatDuration(BigInt(span.offsetNano))} <small>into the trace</small>
        </div>
        <time dateTime={isoTime(start)} title={isoTime(start)}>
          {formatMoment(start)}
        </time>
      </Fact>
      {span.beforeParentNano !== undefined && (
        <Fact name="Clocks">
          <span className={styles.warning}>
            <WarningIcon /> Starts {formatDuration(BigInt(span.beforeParentNano))} before its parent: the clocks of
            their hosts differ
          </span>
        </Fact>
      )}
      <Fact name="Service">{shownName(span.service)}</Fact>
      <Fact name="Kind">{span.kind}</Fact>
      <Fact name="Span id">
        <Id id={span.spanId} what="span id" />
      </Fact>
      <Parent span={span} />
      <Fact name="Trace id">
        <Id id={span.traceId} what="trace id of the span" />
      </Fact>
      <Fact name="Scope">
        {span.scope.name === "" ? "None named" : shownName(span.scope.name)}{" "}
        <small>{shownText(span.scope.version)}</small>
      </Fact>
      {span.traceState !== "" && <Fact name="Trace state">{shownText(span.traceState)}</Fact>}
      <Fact name="Came by">{span.sources.map(sourceName).join(" and ")}</Fact>
    </dl>
  )
}

function Parent({ span: { traceId, parentSpanId, parentName } }: { span: SpanDetail }) {
  if (parentSpanId === undefined) return <Fact name="Parent">None: it begins here</Fact>
  return (
    <Fact name="Parent">
      {parentName === undefined ? (
        <span className={styles.warning}>
          <WarningIcon /> Missing
        </span>
      ) : (
        <Link href={`/traces/${traceId}?span=${parentSpanId}`} replace scroll={false} prefetch={false}>
          {shownName(parentName)}
        </Link>
      )}
      <div>
        <Id id={parentSpanId} what="parent span id" />
      </div>
    </Fact>
  )
}

function Duration({ nanos }: { nanos: bigint }) {
  return (
    <>
      {formatDuration(nanos)} <small>{formatNanoseconds(nanos)}</small>
      {nanos < 0n && <span className={styles.warning}> It ends before it starts.</span>}
    </>
  )
}

function Id({ id, what }: { id: string; what: string }) {
  return (
    <>
      <code>{id}</code> <CopyButton text={id} what={what} />
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
