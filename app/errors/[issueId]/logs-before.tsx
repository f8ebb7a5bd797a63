"use client"

import Link from "next/link"
import { LogList } from "#app/_logs/log-list.tsx"
import { formatCount } from "#app/_ui/format/quantity.ts"
import type { LinesBefore } from "#app/errors/[issueId]/read-issue.ts"
import styles from "./issue-view.module.css"

interface LogsBeforeProps {
  readonly lines: LinesBefore
  readonly traceId: string
  /** When the error happened, in nanoseconds since the epoch. */
  readonly time: string
}

/** The log lines of the error's trace from five seconds before it, timed by the error. */
export function LogsBefore({ lines: { logs, hasMore }, traceId, time }: LogsBeforeProps) {
  return (
    <>
      <p className={styles.source}>
        {logs.length === 0
          ? "This trace has no log line in the 5 s before the error. "
          : `${hasMore ? `The last ${formatCount(logs.length)} lines` : "Lines"} of its trace in the 5 s before the error. `}
        <Link href={`/traces/${traceId}?view=logs`} prefetch={false}>
          All logs of the trace
        </Link>
      </p>
      {logs.length > 0 && (
        <LogList
          label="Logs before the error"
          logs={logs}
          from={time}
          hrefOf={({ spanId }) => `/traces/${traceId}?${spanId === null ? "" : `span=${spanId}&`}view=logs`}
        />
      )}
    </>
  )
}
