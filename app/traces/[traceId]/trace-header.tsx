"use client"

import Link from "next/link"
import { ImportButton } from "#app/_import/import-drop.tsx"
import { BurstIcon, ErrorIcon } from "#app/_ui/format/icons.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { ServiceName } from "#app/_ui/format/service-name.tsx"
import { shownName } from "#app/_ui/format/text.ts"
import { Moment } from "#app/_ui/format/moment.tsx"
import { formatDuration } from "#app/_ui/format/time.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { TraceView } from "#otel/inspector/queries/trace/trace-view.ts"
import { RATING_SIGN } from "./_waterfall/vital-rating.ts"
import styles from "./trace-header.module.css"

interface TraceHeaderProps {
  readonly view: TraceView
  readonly onOpen: (spanId: string) => void
}

export function TraceHeader({ view: { traceId, name, waterfall, vitals, errors }, onOpen }: TraceHeaderProps) {
  const start = BigInt(waterfall.startTimeUnixNano)
  return (
    <header className={styles.header}>
      <h1 title={shownName(name)}>
        <bdi>{shownName(name)}</bdi>
      </h1>
      <ul className={styles.facts} aria-label="About this trace">
        <li>{formatDuration(BigInt(waterfall.durationNano))}</li>
        <li>{countOf(waterfall.stored, "span")}</li>
        {waterfall.errorCount > 0 && (
          <li className={styles.errors}>
            <ErrorIcon /> {countOf(waterfall.errorCount, "error")}
          </li>
        )}
        {waterfall.errorCount === 0 && errors.length > 0 && (
          <li className={styles.errors}>
            <BurstIcon /> {countOf(errors.length, "reported error")}
          </li>
        )}
        <li>
          <Moment unixNano={start} />
        </li>
        <li>
          <code>{traceId}</code>
          <CopyButton text={traceId} what="trace ID" />
        </li>
        <li className={styles.action}>
          <a href={`/api/traces/${traceId}?download=1`} download>
            Export
          </a>
        </li>
        <li className={styles.action}>
          <ImportButton />
        </li>
        <li className={styles.action}>
          <Link href={`/traces/${traceId}/compare`} prefetch={false}>
            Compare
          </Link>
        </li>
      </ul>
      {vitals.length > 0 && <Vitals vitals={vitals} onOpen={onOpen} />}
      <Legend services={waterfall.services} counts={waterfall.serviceCounts} />
    </header>
  )
}

/** The web vitals on the time axis, as buttons. If there are several page loads, each has its name. */
function Vitals({ vitals, onOpen }: { vitals: readonly VitalMark[]; onOpen: (spanId: string) => void }) {
  const pages = new Map(vitals.map(({ page }) => [page.spanId, page.name]))
  return (
    <ul className={styles.vitals} aria-label="Web vitals">
      {[...pages].map(([pageId, page]) => (
        <li key={pageId}>
          {pages.size > 1 && (
            <span className={styles.page} title={shownName(page)}>
              <bdi>{shownName(page)}</bdi>
            </span>
          )}
          {vitals
            .filter((vital) => vital.page.spanId === pageId)
            .map((vital) => (
              <VitalButton key={vital.name} vital={vital} onOpen={onOpen} />
            ))}
        </li>
      ))}
    </ul>
  )
}

function VitalButton({ vital, onOpen }: { vital: VitalMark; onOpen: (spanId: string) => void }) {
  const { name, value, rating, spanId } = vital
  return (
    <button type="button" data-rating={rating} onClick={() => onOpen(spanId)} title={`${name}: ${rating}`}>
      <b>{name}</b> {vitalText(name, value)} <i aria-hidden="true">{RATING_SIGN[rating]}</i>
      <span className="visually-hidden">{rating}</span>
    </button>
  )
}

function vitalText(name: string, value: number): string {
  return name === "CLS" ? value.toFixed(3) : formatDuration(BigInt(Math.round(value * 1e6)))
}

function Legend({ services, counts }: { services: readonly string[]; counts: readonly number[] }) {
  const colours = serviceColours(services)
  return (
    <ul className={styles.legend} aria-label="Services">
      {services.map((service, index) => (
        <li key={service}>
          <ServiceName name={service} colour={colours.get(service)} /> <small>{formatCount(counts[index] ?? 0)}</small>
        </li>
      ))}
    </ul>
  )
}
