import Link from "next/link"
import type { ReactNode } from "react"
import { ErrorIcon, WarningIcon } from "#app/_ui/format/icons.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { Moment } from "#app/_ui/format/moment.tsx"
import { formatDuration, formatNanoseconds } from "#app/_ui/format/time.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { sessionAddress } from "#app/sessions/session-address.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import styles from "./span-panel.module.css"
import type { SpanPlace } from "./span-place.ts"

interface SpanFactsProps {
  readonly span: SpanDetail
  readonly place: SpanPlace | undefined
  readonly sessionId: string | undefined
  readonly onOpen: (spanId: string) => void
}

export function SpanFacts({ span, place, sessionId, onOpen }: SpanFactsProps) {
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
      {place !== undefined && <TimeShares place={place} />}
      <Fact name="Start">
        {place !== undefined && (
          <div>
            {formatDuration(nanos(place.offset))} <small>into the trace</small>
          </div>
        )}
        <Moment unixNano={start} />
      </Fact>
      {place?.skew !== undefined && <Skew skew={place.skew} />}
      <Fact name="Service">{shownName(span.service)}</Fact>
      <Fact name="Kind">{span.kind}</Fact>
      <Fact name="Span ID">
        <Id id={span.spanId} what="span ID" />
      </Fact>
      <Parent parentSpanId={span.parentSpanId} place={place} onOpen={onOpen} />
      <Fact name="Trace ID">
        <Id id={span.traceId} what="trace ID of the span" />
      </Fact>
      {sessionId !== undefined && (
        <Fact name="Session">
          <Link href={sessionAddress(sessionId)} prefetch={false}>
            {shownName(sessionId)}
          </Link>
        </Fact>
      )}
      <Fact name="Scope">
        {span.scope.name === "" ? "–" : shownName(span.scope.name)} <small>{shownText(span.scope.version)}</small>
      </Fact>
      {span.traceState !== "" && <Fact name="Trace state">{shownText(span.traceState)}</Fact>}
    </dl>
  )
}

export function TimeShares({ place: { self, childCount, onPath } }: { place: SpanPlace }) {
  return (
    <>
      {childCount > 0 && (
        <Fact name="Self time">
          {formatDuration(nanos(self))} <small>not covered by {countOf(childCount, "child", "children")}</small>
        </Fact>
      )}
      {onPath !== undefined && (
        <Fact name="Critical path">{onPath === 0 ? "Not on it" : formatDuration(nanos(onPath))}</Fact>
      )}
    </>
  )
}

function Skew({ skew: { least, likely } }: { skew: NonNullable<SpanPlace["skew"]> }) {
  return (
    <Fact name="Clocks">
      <span className={styles.warning}>
        <WarningIcon /> Starts {formatDuration(nanos(least))} before its parent: the host clocks differ by at least that
        much
      </span>
      {likely > least && (
        <small>, by {formatDuration(nanos(likely))} if both network directions took equally long</small>
      )}
    </Fact>
  )
}

interface ParentProps {
  readonly parentSpanId: string | undefined
  readonly place: SpanPlace | undefined
  readonly onOpen: (spanId: string) => void
}

function Parent({ parentSpanId, place, onOpen }: ParentProps) {
  if (parentSpanId === undefined) return <Fact name="Parent">Root span</Fact>
  return (
    <Fact name="Parent">
      {place !== undefined && place.parent === undefined && (
        <span className={styles.warning}>
          <WarningIcon /> Missing
        </span>
      )}
      {place?.parent !== undefined && (
        <button type="button" className={styles.link} onClick={() => onOpen(parentSpanId)}>
          {shownName(place.parent.name)}
        </button>
      )}
      <div>
        <Id id={parentSpanId} what="parent span ID" />
      </div>
    </Fact>
  )
}

function nanos(nanoseconds: number): bigint {
  return BigInt(Math.round(nanoseconds))
}

export function Duration({ nanos }: { nanos: bigint }) {
  return (
    <>
      {formatDuration(nanos)} <small>{formatNanoseconds(nanos)}</small>
      {nanos < 0n && <span className={styles.warning}> Ends before it starts.</span>}
    </>
  )
}

export function Id({ id, what }: { id: string; what: string }) {
  return (
    <>
      <code>{id}</code> <CopyButton text={id} what={what} />
    </>
  )
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
