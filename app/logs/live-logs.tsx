"use client"

import { type ReactNode, Suspense, use, useRef } from "react"
import type { ListPlace } from "#app/_filter/list-address.ts"
import { OlderRows } from "#app/_filter/older-rows.tsx"
import { useApproach } from "#app/_filter/use-approach.ts"
import { NewRows } from "#app/_live/new-rows.tsx"
import { useIsReading } from "#app/_live/use-is-reading.ts"
import { LongLogList } from "#app/_logs/log-list.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { ZoneSwitch } from "#app/_ui/input/zone-switch.tsx"
import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"
import { SHOWN_TEXT_LIMIT } from "#otel/inspector/queries/trace/span-detail.ts"
import styles from "./logs-view.module.css"
import type { LogCounts } from "./read-log-counts.ts"
import { useLiveLogs } from "./use-live-logs.ts"

interface LiveLogsProps {
  readonly logs: readonly LogJson[]
  /** Cursor of the next page. */
  readonly next: string | undefined
  readonly counts: Promise<LogCounts | undefined>
  readonly place: ListPlace
  readonly after: string | undefined
  /** Shown while the list is empty. */
  readonly children: ReactNode
}

/** The live list of logs. It does not move while the user reads it; a button shows what is new. */
export function LiveLogs({ logs, next, counts, place, after, children }: LiveLogsProps) {
  const { area, top, reading } = useIsReading()
  const isLive = after === undefined && place.until === undefined
  const parameters = `&cut=${SHOWN_TEXT_LIMIT}`
  const { list, end, showNew, addOlder, loadNewer } = useLiveLogs({ logs, next, place, parameters, reading, isLive })
  const { rows, waiting, hasGap, hasNewer, isSteady } = list
  useApproach(top, hasNewer ? rows[0]?.logId : undefined, loadNewer)
  const scroller = useRef<HTMLElement>(null)
  const showNewest = async () => {
    await showNew()
    scroller.current?.scrollTo({ top: 0 })
  }
  return (
    <div ref={area} className={styles.list}>
      <LongLogList
        label="Logs"
        logs={rows}
        scroller={scroller}
        isSteady={isSteady}
        hrefOf={addressOf}
        head={
          <>
            <div ref={top} />
            <div className={styles.head}>
              <Suspense fallback={<Count shown={rows.length} isLive={isLive && !hasNewer} />}>
                <Count shown={rows.length} isLive={isLive && !hasNewer} counts={counts} />
              </Suspense>
              <ZoneSwitch />
            </div>
            <NewRows count={waiting.length} orMore={hasGap} isBehind={hasNewer} onShow={showNewest} />
          </>
        }
      >
        {rows.length === 0 && children}
        <OlderRows
          path="/logs"
          place={place}
          after={after}
          next={end}
          loaded={rows.length}
          parameters={parameters}
          onLoaded={addOlder}
        />
      </LongLogList>
    </div>
  )
}

function addressOf({ traceId, spanId }: LogJson): string | undefined {
  if (traceId === null) return undefined
  return `/traces/${traceId}?${spanId === null ? "" : `span=${spanId}&`}view=logs`
}

interface CountProps {
  readonly shown: number
  readonly isLive: boolean
  /** Absent while the total is unknown. */
  readonly counts?: Promise<LogCounts | undefined>
}

/** How many logs the page shows, and of how many where that is known. */
function Count({ shown, isLive, counts }: CountProps) {
  const total = counts === undefined ? undefined : use(counts)?.total
  const isPart = total !== undefined && total > shown
  return (
    <p>
      {isPart ? `Showing ${formatCount(shown)} of ${countOf(total, "log")}` : countOf(shown, "log")}
      {!isLive && ", not live"}
    </p>
  )
}
