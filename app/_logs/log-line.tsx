"use client"

import Link from "next/link"
import type { MouseEvent } from "react"
import { CaretIcon } from "#app/_ui/format/icons.tsx"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { shownLine, shownName, shownText } from "#app/_ui/format/text.ts"
import { useZone } from "#app/_ui/format/use-zone.tsx"
import { formatDuration, formatMoment, isoTime } from "#app/_ui/format/time.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import { JsonTree } from "#app/errors/[issueId]/_event/json-tree.tsx"
import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"
import { eventNameOf, logSummary, logText, plainValue, severityOf } from "#otel/inspector/queries/logs/log-text.ts"
import styles from "./log-list.module.css"

export interface LogLineProps {
  readonly log: LogJson
  /** The time is an offset from this moment, in nanoseconds since the epoch; without it, the time in UTC. */
  readonly from: string | undefined
  /** Colour of its service; `undefined` hides the service. */
  readonly colour: number | undefined
  readonly isOpen: boolean
  readonly onToggle: (logId: string) => void
  /** Where a click on the body leads; `undefined` for a line without a span. */
  readonly href: string | undefined
  /** Selects the span of the line in place of the link. */
  readonly onSelect?: ((spanId: string) => void) | undefined
}

/** Longer bodies are cut in their line, and whole below it. In characters. */
const LINE_LENGTH = 400

/** One line: time, severity, service, body; below it, when open, the whole body and the attributes. */
export function LogLine({ log, from, colour, href, isOpen, onToggle, onSelect }: LogLineProps) {
  const line = shownLine(logSummary(log), LINE_LENGTH) || "(empty)"
  const select = (event: MouseEvent) => {
    if (onSelect === undefined || log.spanId === null || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    onSelect(log.spanId)
  }
  return (
    <>
      <div className={styles.line}>
        <button
          type="button"
          className={styles.caret}
          aria-expanded={isOpen}
          title={isOpen ? "Hide details" : "Show details"}
          onClick={() => onToggle(log.logId)}
        >
          <CaretIcon />
          <span className="visually-hidden">Details of {line.slice(0, 80)}</span>
        </button>
        <LogTime time={BigInt(log.timeUnixNano)} from={from} />
        <SeverityLabel log={log} />
        {colour !== undefined && (
          <span className={styles.service}>
            <ServiceName name={log.service} colour={colour} />
          </span>
        )}
        {href === undefined ? (
          <bdi className={styles.body}>{line}</bdi>
        ) : (
          <Link href={href} prefetch={false} className={styles.body} onClick={select}>
            <bdi>{line}</bdi>
          </Link>
        )}
      </div>
      {isOpen && (
        <LogDetails
          log={log}
          isShown={shownText(logText(log)) === line}
          href={onSelect === undefined ? href : undefined}
        />
      )}
    </>
  )
}

/** An offset has a sign; a moment has no year. */
function LogTime({ time, from }: { time: bigint; from: string | undefined }) {
  const zone = useZone()
  const offset = from === undefined ? undefined : time - BigInt(from)
  const sign = offset !== undefined && offset >= 0n ? "+" : ""
  return (
    <time className={styles.time} dateTime={isoTime(time)} title={isoTime(time)}>
      {offset === undefined ? formatMoment(time, zone).slice(5, 23) : `${sign}${formatDuration(offset)}`}
    </time>
  )
}

/** The severity as the sender wrote it, else by its number. */
function SeverityLabel({ log }: { log: LogJson }) {
  const severity = severityOf(log)
  const text = log.severityText === "" ? (severity ?? "–") : shownName(log.severityText)
  return (
    <span className={styles.severity} data-severity={severity} title={`Severity number ${log.severityNumber}`}>
      {text}
    </span>
  )
}

interface LogDetailsProps {
  readonly log: LogJson
  /** Whether the line above has the whole body. */
  readonly isShown: boolean
  /** Where the trace has the line; `undefined` within the trace. */
  readonly href: string | undefined
}

function LogDetails({ log, isShown, href }: LogDetailsProps) {
  const body = plainValue(log.body)
  const attributes = plainValue(log.attributes)
  const { traceId, spanId, isCut, timeUnixNano, source } = log
  const event = eventNameOf(log)
  const facts = {
    ...(event !== "" && { event }),
    ...(traceId !== null && { trace: traceId }),
    ...(spanId !== null && { span: spanId }),
    "time in nanoseconds": timeUnixNano,
    source,
  }
  const isStructured = typeof body === "object" && body !== null
  const text = isStructured ? logText(log) : String(body ?? "")
  return (
    <div className={styles.details}>
      {isStructured && <JsonTree value={body} />}
      {!isStructured && !isShown && (
        <ScrollBox label="Body">
          <pre>{shownText(text) || "(empty)"}</pre>
        </ScrollBox>
      )}
      <p className={styles.actions}>
        {href !== undefined && (
          <Link href={href} prefetch={false}>
            Open in trace
          </Link>
        )}
        <CopyButton text={text} what="body" labelled />
        {isCut && <small>Cut for this screen. The read API has the whole record.</small>}
      </p>
      {Object.keys(log.attributes).length > 0 && (
        <>
          <h4>Attributes</h4>
          <JsonTree value={attributes} />
        </>
      )}
      <h4>Record</h4>
      <JsonTree value={facts} />
    </div>
  )
}
