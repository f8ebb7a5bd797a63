"use client"

import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from "react"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { useHydrated } from "#app/traces/[traceId]/_waterfall/use-hydrated.ts"
import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"
import { severityOf } from "#otel/inspector/queries/logs/log-text.ts"
import { LogLine, type LogLineProps } from "./log-line.tsx"
import styles from "./log-list.module.css"

interface LogListProps {
  /** Accessible name. */
  readonly label: string
  readonly logs: readonly LogJson[]
  /** Times are offsets from this moment, in nanoseconds since the epoch. Default: the time in UTC. */
  readonly from?: string | undefined
  /** Where a click on a line leads. */
  readonly hrefOf: (log: LogJson) => string | undefined
  readonly onSelect?: LogLineProps["onSelect"] | undefined
  /** Span whose lines are marked. */
  readonly selected?: string | undefined
  /** Default true. */
  readonly hasServices?: boolean
}

/** A short list of log lines. */
export function LogList({ label, logs, hasServices = true, ...props }: LogListProps) {
  const colours = useColours(logs)
  const opened = useOpened()
  return (
    <ol className={styles.list} aria-label={label} data-services={hasServices}>
      {logs.map((log) => (
        <li key={log.logId} data-severity={severityOf(log)} data-selected={isSelected(log, props.selected)}>
          <Line log={log} opened={opened} colour={hasServices ? colours.get(log.service) : undefined} {...props} />
        </li>
      ))}
    </ol>
  )
}

interface LongLogListProps extends Omit<LogListProps, "hasServices"> {
  /** Ref of the element that scrolls. */
  readonly scroller?: RefObject<HTMLElement | null>
  /** Keeps the lines in view where they are when lines come or go above them. Default false. */
  readonly isSteady?: boolean
  /** Above the lines, and scrolls with them. */
  readonly head?: ReactNode
  /** Below the lines. */
  readonly children?: ReactNode
}

/** Height of a line before it is measured, and lines rendered beyond the viewport. */
const LINE_PX = 27
const OVERSCAN = 12
/** Viewport that the server assumes, in pixels. */
const FIRST_SCREEN = { width: 1_200, height: 900 }

/** A list of any length, which scrolls by itself. Only visible lines are in the document. */
export function LongLogList({ label, logs, head, children, isSteady = false, ...props }: LongLogListProps) {
  const own = useRef<HTMLElement>(null)
  const { scroller = own } = props
  const colours = useColours(logs)
  const opened = useOpened()
  const hydrated = useHydrated()
  // oxlint-disable-next-line react/incompatible-library -- this app does not use the React Compiler
  const virtual = useVirtualizer<HTMLElement, Element>({
    count: logs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => logs[index]?.logId ?? index,
    overscan: OVERSCAN,
    initialRect: FIRST_SCREEN,
    anchorTo: isSteady ? "end" : "start",
  })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
    <section ref={scroller} className={styles.scroller} tabIndex={0} aria-label={label}>
      {head}
      <ol
        aria-label={label}
        className={hydrated ? `${styles.list} ${styles.placed}` : styles.list}
        style={hydrated ? { height: virtual.getTotalSize() } : undefined}
      >
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const log = logs[index]
          return log === undefined ? null : (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={logs.length}
              style={hydrated ? { transform: `translateY(${start}px)` } : undefined}
              data-severity={severityOf(log)}
              data-selected={isSelected(log, props.selected)}
            >
              <Line log={log} opened={opened} colour={colours.get(log.service)} {...props} />
            </li>
          )
        })}
      </ol>
      {children}
    </section>
  )
}

interface LineProps extends Pick<LogListProps, "from" | "hrefOf" | "onSelect">, Pick<LogLineProps, "log" | "colour"> {
  readonly opened: Opened
}

function Line({ log, colour, opened, from, hrefOf, onSelect }: LineProps) {
  return (
    <LogLine
      log={log}
      from={from}
      colour={colour}
      isOpen={opened.ids.has(log.logId)}
      onToggle={opened.toggle}
      href={hrefOf(log)}
      onSelect={onSelect}
    />
  )
}

/** The lines whose details are shown. A line that leaves the document stays open. */
interface Opened {
  readonly ids: ReadonlySet<string>
  readonly toggle: (logId: string) => void
}

function useOpened(): Opened {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const toggle = useCallback(
    (logId: string) =>
      setIds((before) => {
        const next = new Set(before)
        if (!next.delete(logId)) next.add(logId)
        return next
      }),
    [],
  )
  return { ids, toggle }
}

function useColours(logs: readonly LogJson[]): ReadonlyMap<string, number> {
  return useMemo(() => serviceColours(new Set(logs.map(({ service }) => service))), [logs])
}

function isSelected({ spanId }: LogJson, selected: string | undefined): boolean | undefined {
  return selected === undefined ? undefined : spanId === selected
}
